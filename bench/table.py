#!/usr/bin/env python3
"""How fast each stage is, what share of the machine's peak that is, and what other tools take in the same run.

  bench/table.py           stages, other tools, whole commands
  bench/table.py --long    and a million synthetic images
"""
import json
import os
import platform
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
pssc = os.path.join(root, "build", "pssc")


def run_bench(stage):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([f"{root}/build/bench/bench_{stage}", f"--benchmark_out={file.name}"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return {b["name"].replace("/real_time", "").replace("/iterations:1", ""): b
                for b in json.load(open(file.name))["benchmarks"]}


def table(title, header, rows):
    print(f"\n## {title}\n")
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(row) + " |", flush=True)


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    simd = next(l.split()[-1] for l in subprocess.run([pssc, "info"], capture_output=True, text=True).stdout.split("\n")
                if "simd" in l.lower())
    return f"{model}, {os.cpu_count()} cores, {simd}, {platform.system()} {platform.release()}"


def stages(benches):
    peak = benches["peak/threads:0"]["flops"]
    rows = []
    for name, b in benches.items():
        flops = b.get("flops", 0)
        share = flops / (benches["peak/threads:1"]["flops"] if "threads:1" in name else peak)
        items = f"{b['items_per_second']:,.0f}" if "items_per_second" in b else ""
        rows.append([f"`{name}`", f"{b['real_time']:,.0f} ms", items, f"{flops / 1e9:.0f}" if flops else "",
                     f"{share:.2f}" if flops else ""])
    table("Stages", ["benchmark", "time", "images/s", "GFLOP/s", "share of peak"], rows)


def find_python():
    """A Python that has NumPy: Debian's where the first on the path has none."""
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    return None


def others(benches):
    python = find_python()
    if python is None:
        return print("\nNo Python with NumPy here: other tools are left out.")
    done = subprocess.run([python, f"{root}/bench/others.py", pssc], capture_output=True, text=True)
    if done.returncode != 0:
        return print(f"\nOther tools could not be run: {done.stderr.strip().splitlines()[-1]}")
    found = json.loads(done.stdout)
    ours = {"PCA": "components", "KMeans": "representatives", "Kmeans": "representatives",
            "Spectral": "whole_uspec", "PyTorch": "scattering/size:32/scales:3/angles:8/threads:0"}
    rows = []
    for name, theirs in {**found["scattering"], **found["learners"]}.items():
        mine = benches[next(bench for part, bench in ours.items() if part in name)]["items_per_second"]
        rows.append([name, f"{theirs:,.0f}", f"{mine:,.0f}", f"{mine / theirs:.1f}"])
    table("Other tools, the same work on the same cores", ["tool", "images/s", "pssc", "times as fast"], rows)


def commands(long):
    rows = []
    inputs = [("mnist", []), ("mnist", ["--preset", "paper"]), ("mnist-test", []), ("usps", []), ("fashion-mnist", [])]
    inputs += [(f"synthetic:{n}", []) for n in [1000, 10000, 100000] + ([1000000] if long else [])]
    for name, options in inputs:
        done = subprocess.run([pssc, "cluster", name, "-k", "10", "--json", *options], capture_output=True, text=True)
        if done.returncode != 0:
            continue
        r = json.loads(done.stdout)
        rows.append([f"`pssc cluster {' '.join([name, *options])} -k 10`", f"{r['total_seconds']:.1f} s",
                     f"{1e6 * r['total_seconds'] / r['input']['count']:,.0f}", f"{r['peak_memory_bytes'] / 2**30:.2f} GiB",
                     f"{r['metrics']['accuracy']:.4f}"])
    table("Whole commands", ["command", "time", "microseconds an image", "peak memory", "accuracy"], rows)


def main():
    print(f"{machine()}; images/s are on all cores unless a benchmark says threads:1.")
    benches = {}
    for stage in ("peak", "scattering", "projection", "clustering"):
        benches.update(run_bench(stage))
    stages(benches)
    others(benches)
    commands("--long" in sys.argv)


main()
