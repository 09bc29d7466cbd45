#!/usr/bin/env bash
# Clusters MNIST's test digits (or synthetic ones), opens the report in Chromium and looks at it: report.sh PSSC WEB.
set -euo pipefail
pssc=$1 web=$2
command -v chromium > /dev/null || { echo "skipped: no chromium"; exit 77; }
[ -d "$web/node_modules" ] || { echo "skipped: the page was built elsewhere"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

input=mnist-test
"$pssc" datasets path mnist-test > /dev/null 2>&1 || input=synthetic:5000
"$pssc" cluster "$input" -k 10 --quiet -o "$work/out"
cd "$web"
REPORT=$work/out/report.html node --test test/report.test.mjs
