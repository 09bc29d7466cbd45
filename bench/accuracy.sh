#!/usr/bin/env bash
# Mean accuracy, purity and NMI over seeds 0..4 on every data set that is here, with any options of `pssc cluster`:
#   bench/accuracy.sh                                  the defaults, all sets
#   SETS="usps mnist" bench/accuracy.sh --poc-dims 0   two sets, without POC
set -euo pipefail
cd "$(dirname "$0")/.."
pssc=${PSSC:-build/pssc}
for input in ${SETS:-mnist-test usps mnist fashion-mnist}; do
  "$pssc" datasets path "$input" > /dev/null 2>&1 || { echo "$input: not here"; continue; }
  for seed in ${SEEDS:-0 1 2 3 4}; do "$pssc" cluster "$input" -k 10 --seed "$seed" --json "$@" | tr -d '\n'; echo; done |
    python3 -c '
import json, statistics as st, sys
runs = [json.loads(line) for line in sys.stdin]
show = lambda name: "{} {:.4f} (least {:.4f})".format(
    name, st.mean(r["metrics"][name] for r in runs), min(r["metrics"][name] for r in runs))
print("{:<15}".format(sys.argv[1]), "  ".join(show(m) for m in ("accuracy", "purity", "nmi")),
      "  {:.1f} s  {:.2f} GiB".format(st.mean(r["total_seconds"] for r in runs),
                                      max(r["peak_memory_bytes"] for r in runs) / 2**30), flush=True)' "$input"
done
