#!/bin/sh
# What keeping stages costs: the same run with -o, which keeps them, and without, turn by turn.
#   bench/keeping.sh [INPUT] [ROUNDS] [OPTIONS...]     mnist 3
set -eu
here=$(dirname "$0")
input=${1:-mnist}; rounds=${2:-3}
[ $# -lt 1 ] || shift; [ $# -lt 1 ] || shift
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
seconds() { sed -n 's/.*"total_seconds": *\([0-9.]*\).*/\1/p'; }
for round in $(seq "$rounds"); do
  with=$("$here/../build/pssc" cluster "$input" -k 10 --json -o "$out/r$round" "$@" | seconds)
  without=$("$here/../build/pssc" cluster "$input" -k 10 --json "$@" | seconds)
  echo "$with $without"
done | awk -v input="$input" '
  { printf "round %d: %.2f s keeping, %.2f s not\n", NR, $1, $2; a += $1; b += $2 }
  END { printf "%s: keeping takes %.1f %% of the run\n", input, 100 * (a - b) / b }'
