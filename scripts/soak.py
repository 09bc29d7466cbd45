#!/usr/bin/env python3
"""Clusters, predicts, kills and resumes over random inputs, whole and broken, and compares with runs nobody disturbed.

  make soak SECONDS=3600, or scripts/soak.py [--seconds N] [--pssc PATH] [--seed N]

Allowed are: exit code 0; 1, 2 or 3 with one line; the signals sent here. Everything else is a finding, and its input is
kept. Prints counts at the end, and every minute.
"""
import argparse
import collections
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
counts, findings = collections.Counter(), []
COMPARED = ["labels.csv", "labels.npy", "model.pssc"]


class Finding(Exception):
    pass


# ---- inputs ----------------------------------------------------------------------------------------------------------

def picture(kind, size):
    """A disc, a ring, a bar or noise, as bytes."""
    centre, radius = size / 2 + random.uniform(-2, 2), size * random.uniform(.2, .4)
    bright, noise = random.randint(120, 255), random.randint(0, 60)
    pixels = bytearray(size * size)
    for y in range(size):
        for x in range(size):
            r = ((x - centre) ** 2 + (y - centre) ** 2) ** .5
            on = (r < radius, abs(r - radius) < 1.5, abs(x - centre) < 2, random.random() < .5)[kind]
            pixels[y * size + x] = max(0, min(255, (bright if on else 0) + random.randint(0, noise)))
    return bytes(pixels)


def npy(shape, pixels):
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + pixels


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    return path


def an_array(folder):
    count, size = random.randint(2, 800), random.choice([8, 9, 12, 16])
    pixels = b"".join(picture(random.randint(0, 3), size) for _ in range(count))
    if random.random() < .3:
        return write(f"{folder}/images-idx3-ubyte", struct.pack(">IIII", 0x803, count, size, size) + pixels)
    return write(f"{folder}/images.npy", npy((count, size, size), pixels))


def a_folder(folder):
    size = random.choice([8, 12, 16])
    for i in range(random.randint(2, 300)):
        content = b"P5 %d %d 255\n" % (size, size) + picture(i % 3, size)
        if random.random() < .03:  # some are broken
            content = random.choice([b"", b"P5", content[:random.randint(1, len(content))], os.urandom(50)])
        write(f"{folder}/in/{'abc'[i % 3]}/{i}.pgm", content)
    if random.random() < .3:
        with open(f"{folder}/list.txt", "w") as file:
            for at, _, names in os.walk(f"{folder}/in"):
                for name in names:
                    file.write(f"{at}/{name}\n")
            file.write(f"{folder}/in/not-there.pgm\n" * random.randint(0, 2))
        return f"{folder}/list.txt"
    return f"{folder}/in"


def a_synthetic_set(_):
    return f"synthetic:{random.choice([20, 300, 3000, 20000])}"


def broken(folder):
    """Something that is no input, or is damaged."""
    kind = random.randint(0, 5)
    if kind == 0:
        return write(f"{folder}/x.npy", os.urandom(random.randint(0, 500)))
    if kind == 1:
        os.makedirs(f"{folder}/empty")
        return f"{folder}/empty"
    if kind == 2:
        return f"{folder}/nothing-here"
    path = an_array(folder)
    with open(path, "rb") as file:
        content = bytearray(file.read())
    if kind == 3:
        content = content[:random.randint(0, len(content) - 1)]
    elif kind == 4:
        for _ in range(random.randint(1, 5)):
            content[random.randrange(min(128, len(content)))] = random.randrange(256)
    else:
        content += os.urandom(random.randint(1, 100))
    return write(path, bytes(content))


# ---- runs ------------------------------------------------------------------------------------------------------------

def start(arguments, limit=None):
    def prepare():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.Popen([pssc, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            errors="replace", preexec_fn=prepare)


def end(process, allowed=(0, 1, 2, 3)):
    said = process.communicate(timeout=600)[1]
    own = [line for line in said.splitlines() if "continuing:" not in line and "starting afresh:" not in line
           and "cannot be kept" not in line and "skipped " not in line]
    if process.returncode not in allowed or len(own) > 1 or (process.returncode > 0) != (len(own) == 1):
        raise Finding(f"exit code {process.returncode}, allowed {allowed}, said {said!r}")
    return process.returncode, said


def results(out):
    found = {}
    for name in COMPARED:
        if os.path.exists(f"{out}/{name}"):
            with open(f"{out}/{name}", "rb") as file:
                found[name] = file.read()
    return found


def some_options():
    options = ["-k", random.choice(["2", "3", "5", "auto"]), "--size", "16", "--scales", "2", "--device", "cpu",
               "--seed", str(random.randint(0, 3))]
    if random.random() < .5:
        options += ["--fit-images", "1000", "--sample-images", "1000"]
    return options + random.choice([[], [], ["--preset", "paper", "--pca-dims", "50"], ["--clusterer", "kmeans", "-k", "3"]])


def disturbed(command, length, plain_code):
    """Runs it with kills, signals and full disks in its way until it ends by itself."""
    for _ in range(random.randint(1, 4)):
        limit = random.randint(1, 2000000) if random.random() < .2 else None
        process = start(command + ["--threads", str(random.randint(1, 3))], limit)
        try:
            process.wait(random.uniform(0, 1.2) * length)
        except subprocess.TimeoutExpired:
            number = random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
            counts["stopped by " + number.name] += 1
            process.send_signal(number)
            process.communicate()
            ends = (-number, plain_code, 1 if limit else plain_code)  # it may have been done when the signal came
            if process.returncode not in ends:
                raise Finding(f"{number.name} ended in {process.returncode}")
            continue
        code, _ = end(process)
        counts["full disks"] += code == 1 and limit is not None
        if code == 0 or limit is None:
            break
    code, said = end(start(command))
    counts["continued"] += "continuing" in said
    return code


def round_of(folder):
    kind = random.choice(["array", "array", "folder", "folder", "synthetic", "broken"])
    given = {"array": an_array, "folder": a_folder, "synthetic": a_synthetic_set, "broken": broken}[kind](folder)
    options = some_options()
    began = time.monotonic()
    code, said = end(start(["cluster", given, *options, "-o", f"{folder}/plain"]))
    length = time.monotonic() - began
    counts[f"{kind}: {'clustered' if code == 0 else 'refused'}"] += 1
    if code == 1:
        raise Finding(f"a plain run failed: {said!r}")
    if disturbed(["cluster", given, *options, "-o", f"{folder}/out"], length, code) != code:
        raise Finding("a disturbed run ended otherwise than the plain one")
    if code != 0:
        return
    counts["compared with a plain run"] += 1
    if results(f"{folder}/out") != results(f"{folder}/plain"):
        raise Finding("a disturbed run has other labels, or another model, than the plain one")
    left = [name for name in os.listdir(f"{folder}/out") if name.startswith(".")]
    if left:
        raise Finding(f"{left} was left behind")
    if os.path.exists(f"{folder}/out/model.pssc"):
        predict(folder, given)


def predict(folder, given):
    model = f"{folder}/out/model.pssc"
    for threads in ("1", "3"):
        end(start(["predict", model, given, "-o", f"{folder}/p{threads}.csv", "--threads", threads]), (0,))
    with open(f"{folder}/p1.csv") as one, open(f"{folder}/p3.csv") as three:
        if one.read() != three.read():
            raise Finding("predictions depend on the number of threads")
    counts["predicted"] += 1
    with open(model, "rb") as file:
        content = bytearray(file.read())
    if random.random() < .5:
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    else:
        content = content[:random.randrange(len(content))]
    damaged = write(f"{folder}/damaged.pssc", bytes(content))
    end(start(["predict", damaged, given, "-o", f"{folder}/x.csv"]), (3,))
    counts["damaged models refused"] += 1


def report(began):
    print(f"{time.monotonic() - began:.0f} s, {len(findings)} findings; " +
          ", ".join(f"{name} {count}" for name, count in sorted(counts.items())), flush=True)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--pssc", default=os.path.join(root, "build", "pssc"))
parser.add_argument("--seed", type=int, default=None)
options_given = parser.parse_args()
pssc = os.path.abspath(options_given.pssc)
began = told = time.monotonic()
first_seed = options_given.seed if options_given.seed is not None else random.randrange(1 << 30)
number = 0
while time.monotonic() - began < options_given.seconds:
    random.seed(first_seed + number)
    place = tempfile.mkdtemp(prefix="pssc-soak-")
    try:
        round_of(place)
        shutil.rmtree(place)
    except (Finding, subprocess.TimeoutExpired) as finding:
        findings.append(finding)
        print(f"FINDING (seed {first_seed + number}, files in {place}): {finding}", flush=True)
    counts["rounds"] += 1
    number += 1
    if time.monotonic() - told > 60:
        told = time.monotonic()
        report(began)
report(began)
sys.exit(1 if findings else 0)
