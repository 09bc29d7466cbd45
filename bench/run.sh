#!/usr/bin/env bash
# How fast each stage is, then the whole command, on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
for stage in scattering projection clustering; do
  build/bench/bench_$stage --benchmark_counters_tabular=true 2> /dev/null
done
for input in mnist-test mnist; do
  build/pssc datasets path "$input" > /dev/null 2>&1 && build/pssc cluster "$input" -k 10
done
