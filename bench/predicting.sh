#!/bin/sh
# How fast `pssc predict` is beside the scattering alone: fitted on MNIST's 60,000 training digits, on the 10,000 others.
#   bench/predicting.sh [FITTED] [INPUT] [ROUNDS]     mnist-train mnist-test 5
set -eu
here=$(dirname "$0")
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
"$here/../build/pssc" cluster "${1:-mnist-train}" -k 10 --quiet --device cpu -o "$out"
"$here/../build/bench/bench_predicting" "$out/model.pssc" "${2:-mnist-test}" "${3:-5}"
