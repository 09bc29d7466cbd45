#!/usr/bin/env bash
# Clusters MNIST's test digits (or synthetic ones) with a tree, and synthetic ones by the paper's method, opens the reports
# in Chromium and looks at them: report.sh PSSC WEB.
set -euo pipefail
pssc=$1 web=$2
command -v chromium > /dev/null || { echo "skipped: no chromium"; exit 77; }
[ -d "$web/node_modules" ] || { echo "skipped: the page was built elsewhere"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

input=mnist-test
"$pssc" datasets path mnist-test > /dev/null 2>&1 || input=synthetic:5000
"$pssc" cluster "$input" -k 10 --tree --adapt --quiet -o "$work/tuned"
"$pssc" cluster synthetic:1000 -k 10 --preset paper --quiet -o "$work/paper"
cd "$web"
for method in tuned paper; do REPORT=$work/$method/report.html node --test test/report.test.mjs; done
