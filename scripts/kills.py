#!/usr/bin/env python3
"""Kills runs at random moments, one to three times each, lets the last one end, and compares its labels and model with
those of a run that nobody disturbed. Runs that were done before they could be killed do not count.

  scripts/kills.py [COUNT] [--pssc PATH] [--seed N]      100 runs of build/pssc
"""
import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUN = ["cluster", "synthetic:30000", "-k", "8", "--size", "16", "--scales", "2", "--sample-images", "1500",
       "--fit-images", "3000", "--device", "cpu"]
COMPARED = ["labels.csv", "labels.npy", "model.pssc"]


def start(pssc, out):
    return subprocess.Popen([pssc, *RUN, "-o", out, "--threads", str(random.randint(1, 4))], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def stage_of(out):
    """How far a run has come, by what it has kept and written."""
    there = os.listdir(out) if os.path.isdir(out) else []
    kept = os.listdir(os.path.join(out, ".partial")) if ".partial" in there else []
    if "labels.csv" in there:
        return "outputs"
    for name in ("placed-0", "clusters", "coordinates", "components"):
        if name in kept:
            return "after " + name
    return "before components"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--pssc", default=os.path.join(root, "build", "pssc"))
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain")
        began = time.monotonic()
        process = start(options.pssc, plain)
        assert process.wait() == 0, process.stderr.read()
        length = time.monotonic() - began
        wanted = {name: content(os.path.join(plain, name)) for name in COMPARED}
        killed, continued, same, wrong = collections.Counter(), 0, 0, []
        number = 0
        while number < options.count:
            out = os.path.join(folder, str(number))
            before = sum(killed.values())
            for _ in range(random.randint(1, 3)):
                began = time.monotonic()
                process = start(options.pssc, out)
                try:
                    process.wait(random.uniform(0, 1.1) * length)
                    break  # it was done before
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    killed[stage_of(out)] += 1
            if sum(killed.values()) == before:
                length = min(length, time.monotonic() - began)  # the machine is less busy than it was
                subprocess.run(["rm", "-rf", out], check=True)
                continue
            number += 1
            process = start(options.pssc, out)
            said = process.communicate()[1]
            continued += "continuing" in said
            left = [name for name in os.listdir(out) if name.startswith(".")] if os.path.isdir(out) else ["nothing"]
            good = process.returncode == 0 and not left and all(content(os.path.join(out, n)) == wanted[n]
                                                                for n in COMPARED)
            same += good
            if not good:
                wrong.append(f"run {number}: exit code {process.returncode}, left {left}, said {said!r}")
            subprocess.run(["rm", "-rf", out], check=True)
        print(f"{sum(killed.values())} kills in {options.count} runs: " +
              ", ".join(f"{count} {stage}" for stage, count in sorted(killed.items())))
        print(f"{continued} of the last runs continued; {same} of {options.count} ended with identical labels and model")
        print("\n".join(wrong), end="\n" if wrong else "")
        sys.exit(1 if wrong else 0)


main()
