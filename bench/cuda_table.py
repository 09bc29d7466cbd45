#!/usr/bin/env python3
"""The GPU's stages beside what its memory and arithmetic allow, and beside PyTorch where that is installed, in one run.

  bench/cuda_table.py [DATA SET]...    after `make build`, or with $PSSC_BENCH naming bench_cuda
  bench/cuda_table.py --from FILE      of what bench_cuda printed before
  bench/cuda_table.py mnist fashion-mnist synthetic:10000000    all that docs/gpu.md shows
"""
import json
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
bench = os.environ.get("PSSC_BENCH", f"{root}/build/bench/bench_cuda")


def torch_times():
    done = subprocess.run(["python3", f"{root}/bench/cuda_torch.py"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"PyTorch was not run: {(done.stderr.strip().splitlines() or ['?'])[-1]}\n")
        return {}
    return json.loads(done.stdout)


def table(header, rows):
    for row in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(row) + " |", flush=True)


def main():
    if sys.argv[1:2] == ["--from"]:
        with open(sys.argv[2]) as file:
            found = json.load(file)
    else:
        done = subprocess.run([bench, *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.returncode)
        found = json.loads(done.stdout)
    card = found["card"]
    print(f"{card['name']}: {card['bytes_a_second'] / 1e12:.2f} TB/s copied, "
          f"{card['operations_a_second'] / 1e12:.1f} TFLOP/s of single-precision products\n")
    theirs = torch_times()
    rows = []
    for s in found["stages"]:
        other = theirs.get(s["stage"])
        rows.append([s["stage"], f"{s['milliseconds']:.2f}", f"{s['floor']:.2f}" if s["floor"] else "",
                     f"{s['items_a_second']:,.0f}" if s["items_a_second"] else "",
                     f"{other:.2f}" if other else "", f"{other / s['milliseconds']:.1f}" if other else ""])
    table(["stage", "ms", "floor, ms", "a second", "PyTorch, ms", "times as fast"], rows)
    print()
    table(["set", "preset", "seconds", "to the labels", "accuracy", "stages, ms"],
          [[r["input"], r["preset"], f"{r['seconds']:.3f}", f"{r['to_labels']:.3f}", f"{r['accuracy']:.4f}",
            ", ".join(f"{t['stage']} {t['seconds'] * 1e3:.0f}" for t in r["timings"])] for r in found.get("runs", [])])
    if "streamed" in found:
        print()
        table(["made while it is clustered", "seconds", "making the images alone", "accuracy", "stages, s"],
              [[r["input"], f"{r['seconds']:.1f}", f"{r['generation']:.1f}", f"{r['accuracy']:.4f}",
                ", ".join(f"{t['stage']} {t['seconds']:.1f}" for t in r["timings"])] for r in found["streamed"]])


main()
