#!/usr/bin/env bash
# Clusters MNIST's 10,000 test digits, or the built-in synthetic ones where MNIST cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

input=mnist-test
if ! build/pssc datasets path mnist-test > /dev/null 2>&1; then
  echo "demo: MNIST could not be had here; using the built-in synthetic digits instead"
  input=synthetic
fi
build/pssc cluster "$input" -k 10 -o out/demo
