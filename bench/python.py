#!/usr/bin/env python3
"""What the Python package costs beside the command, and USpec beside scikit-learn's clusterers: the tables of docs/python.md.

  PYTHONPATH=build/python /usr/bin/python3 bench/python.py [overhead] [clusterers] [--repeats N]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
command = os.path.join(root, "build", "pssc")


def table(title, header, rows):
    print(f"\n## {title}\n")
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(row) + " |", flush=True)


def child(code):
    """Runs code in a Python of its own; its last line is JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


fit_mnist = """
import json, resource, time
import pssc
X, y = pssc.datasets.load_mnist(return_X_y=True)
begin = time.perf_counter()
labels = pssc.PSSC(10).fit_predict(X)
print(json.dumps({"seconds": time.perf_counter() - begin, "accuracy": pssc.metrics.clustering_accuracy(y, labels),
                  "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
"""


def run_command():
    done = subprocess.run([command, "cluster", "mnist", "-k", "10", "--json"], capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout)
    return {"seconds": summary["total_seconds"], "accuracy": summary["metrics"]["accuracy"],
            "bytes": summary["peak_memory_bytes"]}


def overhead(repeats):
    """By turns, so that whatever else the machine does falls on both."""
    runs = {"command": [], "python": []}
    for _ in range(repeats):
        runs["command"].append(run_command())
        runs["python"].append(child(fit_mnist))
    median = {name: {key: statistics.median(run[key] for run in list_) for key in list_[0]} for name, list_ in runs.items()}
    rows = [[words, f"{median[name]['seconds']:.2f} s", f"{median[name]['bytes'] / 2**20:,.0f} MiB",
             f"{median[name]['accuracy']:.4f}"]
            for name, words in (("command", "`pssc cluster mnist -k 10`"), ("python", "`PSSC(10).fit_predict(mnist)`"))]
    time_share = median["python"]["seconds"] / median["command"]["seconds"] - 1
    memory = (median["python"]["bytes"] - median["command"]["bytes"]) / 2**20
    rows.append(["difference", f"{100 * time_share:+.1f} %", f"{memory:+,.0f} MiB", ""])
    table(f"The command and the package, medians of {repeats}", ["", "time", "peak memory", "accuracy"], rows)


def clusterers():
    import numpy as np
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.metrics import normalized_mutual_info_score

    import pssc
    images, y = pssc.datasets.load_mnist(return_X_y=True)
    X = images.reshape(len(images), -1)
    some = np.random.default_rng(0).permutation(len(X))[:10000]
    rows = []
    for words, make, rows_of, in (
            ("`USpec(10)`", lambda: pssc.USpec(10), slice(None)),
            ("`KMeans(10, n_init=10)`", lambda: KMeans(10, n_init=10, random_state=0), slice(None)),
            ("`KMeans(10, n_init=1)`", lambda: KMeans(10, n_init=1, random_state=0), slice(None)),
            ("`SpectralClustering(10)`, nearest neighbours",
             lambda: SpectralClustering(10, affinity="nearest_neighbors", random_state=0, n_jobs=-1), some)):
        data, truth = X[rows_of].astype(np.float32), y[rows_of]
        begin = time.perf_counter()
        labels = make().fit_predict(data)
        seconds = time.perf_counter() - begin
        rows.append([words, f"{len(data):,}", f"{seconds:.1f} s", f"{pssc.metrics.clustering_accuracy(truth, labels):.3f}",
                     f"{normalized_mutual_info_score(truth, labels):.3f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    table("MNIST's pixels, one run", ["", "images", "time", "accuracy", "NMI"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["overhead", "clusterers"])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if "overhead" in options.what:
        overhead(options.repeats)
    if "clusterers" in options.what:
        clusterers()


main()
