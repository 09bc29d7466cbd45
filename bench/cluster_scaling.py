#!/usr/bin/env python3
"""How far a run scales over ranks: measured here at 1 to 4 ranks, simulated up to 1,000.

    bench/cluster_scaling.py [--images 500000] [--ranks 1 2 3 4] [--keep FILE]   measures, then simulates
    bench/cluster_scaling.py --from FILE                                         simulates from what was kept
    bench/cluster_scaling.py --compare [--images 500000]                         2 ranks x 1 thread against 1 x 2 threads

The model, a stage: what the first rank does alone, plus the rest divided by ranks as far as there are blocks, plus what
is said: messages times latency, bytes over bandwidth. The costs are those of a run of one rank on one thread; messages,
bytes and the time alone are those of a run of two, and do not depend on the number of ranks. Here ranks share two cores,
so R ranks work as fast as min(R, cores); on a cluster each has its own.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
pssc = os.environ.get("PSSC", str(root / "build" / "pssc"))
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# What a stage's rows are cut into, as in src/: images read or projected 2,048 at a time, rows of coordinates 1,024,
# images placed 8,192.
READ, ROWS, PLACED = 2048, 1024, 8192
SAMPLE, FIT, CANDIDATES = 20000, 100000, 20000


def run(images, ranks, threads, extra=()):
    """The summary of a run, with the wall time of the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks else []
        command += [pssc, "cluster", f"synthetic:{images}", "-k", "10", "--threads", str(threads), "--device", "cpu",
                    "--quiet", "-o", folder, *extra]
        start = time.time()
        subprocess.run(command, check=True, env=environment)
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        summary["wall"] = time.time() - start
        summary["labels"] = hash((pathlib.Path(folder) / "labels.csv").read_bytes())
        return summary


def blocks(stage, images):
    if stage.endswith("of a sample") or stage == "principal components":
        return math.ceil(min(images, SAMPLE) / READ)
    if stage == "scattering and projection":
        return math.ceil(max(0, min(images, FIT) - SAMPLE) / READ)
    if stage == "clustering":
        return math.ceil(min(images, FIT) / ROWS)
    if stage == "map":
        return 1
    if stage == "placing all images":
        return math.ceil(images / PLACED)
    return math.ceil(min(images, FIT) / READ)


def costs(one, two, images):
    """Of each stage: seconds alone, seconds that are shared out, blocks, messages, bytes."""
    said = {t["stage"]: t for t in two["backend"]["traffic"]}
    stages = []
    for t in one["timings"]:
        s = said[t["stage"]]
        alone = min(s["alone_seconds"], t["seconds"])
        stages.append({"stage": t["stage"], "alone": alone, "shared": t["seconds"] - alone,
                       "blocks": blocks(t["stage"], images), "messages": s["messages"], "bytes": s["bytes_sent"]})
    return stages


def largest_share(count, ranks):
    """The part of the work that the rank with most blocks has."""
    return math.ceil(count / ranks) / count if count else 0


def predict(stages, ranks, cores=None, latency=2e-5, bandwidth=1e9, grow=1.0):
    """Seconds, by stage. `cores`: ranks share so many. `grow`: times as many images to place as were measured."""
    rounds = math.ceil(math.log2(ranks)) if ranks > 1 else 0
    result = {}
    for s in stages:
        shared, count = s["shared"], s["blocks"]
        if s["stage"] == "placing all images":
            shared, count = shared * grow, math.ceil(count * grow)
        if s["stage"] == "clustering":  # half of it on the candidates alone, which are fewer
            few = math.ceil(CANDIDATES / ROWS)
            share = (largest_share(count, ranks) + largest_share(few, ranks)) / 2
        else:
            share = largest_share(count, ranks)
        if cores and ranks > cores:
            share = max(share, 1 / cores)
        # A sum over all ranks goes up and down a tree, in pieces: two times its bytes whatever the ranks.
        said = 0 if ranks == 1 else s["messages"] * latency * rounds + 2 * s["bytes"] / bandwidth
        result[s["stage"]] = s["alone"] + shared * share + said
    return result


def measure(options):
    runs = {}
    for ranks in options.ranks:
        summary = run(options.images, ranks, 1)
        runs[ranks] = {key: summary[key] for key in ("timings", "total_seconds", "wall", "labels", "peak_memory_bytes")}
        runs[ranks]["backend"] = summary["backend"]
        print(f"{ranks} ranks: {summary['total_seconds']:.1f} s", file=sys.stderr)
    if len({r["labels"] for r in runs.values()}) != 1:
        sys.exit("the labels differ")
    return {"images": options.images, "cores": os.cpu_count(), "runs": runs}


def report(measured):
    images, cores = measured["images"], measured["cores"]
    runs = {int(r): v for r, v in measured["runs"].items()}
    stages = costs(runs[1], runs[2], images)
    print(f"synthetic:{images}, {cores} cores, one thread a rank\n")
    print("| stage | alone | shared | blocks | times all speak | bytes sent a rank |\n|---|---|---|---|---|---|")
    for s in stages:
        print(f"| {s['stage']} | {s['alone']:.2f} s | {s['shared']:.2f} s | {s['blocks']} | {s['messages']:,} | "
              f"{s['bytes'] / 1e6:,.1f} MB |")
    print("\n| ranks | measured | model | error |\n|---|---|---|---|")
    for ranks in sorted(runs):
        model = sum(predict(stages, ranks, cores).values())
        took = runs[ranks]["total_seconds"]
        print(f"| {ranks} | {took:.1f} s | {model:.1f} s | {100 * (model - took) / took:+.0f} % |")
    print("\n| ranks | " + " | ".join(f"{n:,} images" for n in (10**6, 10**8, 10**9)) + " |\n|---|---|---|---|")
    for ranks in (1, 2, 4, 8, 16, 64, 256, 1000):
        cells = []
        for n in (10**6, 10**8, 10**9):
            seconds = sum(predict(stages, ranks, None, 2e-5, 1e9, n / images).values())
            cells.append(f"{seconds:,.0f} s" if seconds < 7200 else f"{seconds / 3600:,.1f} h")
        print(f"| {ranks:,} | " + " | ".join(cells) + " |")


def compare(options):
    """Alternately, so that what else the machine does meets both."""
    one, two = [], []
    for _ in range(options.times):
        one.append(run(options.images, 0, 2))  # mpirun would bind a single rank to a single core
        two.append(run(options.images, 2, 1))
    if one[0]["labels"] != two[0]["labels"]:
        sys.exit("the labels differ")
    best = lambda runs: min(r["total_seconds"] for r in runs)
    print(f"synthetic:{options.images}: 1 rank x 2 threads {best(one):.1f} s, 2 ranks x 1 thread {best(two):.1f} s: "
          f"{100 * (best(two) / best(one) - 1):+.1f} %")
    for a, b in zip(one[0]["timings"], two[0]["timings"]):
        print(f"  {a['stage']:28} {a['seconds']:7.2f} {b['seconds']:7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=500000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--from", dest="kept")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        return compare(options)
    measured = json.loads(pathlib.Path(options.kept).read_text()) if options.kept else measure(options)
    if options.keep:
        pathlib.Path(options.keep).write_text(json.dumps(measured))
    report(measured)


if __name__ == "__main__":
    main()
