#!/usr/bin/env bash
# Explores a run of 70,000 images in Chromium: explore_large.sh PSSC WEB.
set -euo pipefail
pssc=$1 web=$2
command -v chromium > /dev/null || { echo "skipped: no chromium"; exit 77; }
[ -d "$web/node_modules" ] || { echo "skipped: the page was built elsewhere"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

input=mnist
"$pssc" datasets path mnist > /dev/null 2>&1 || input=synthetic:70000
"$pssc" cluster "$input" -k 10 --fit-images 8000 --sample-images 4000 --quiet -o "$work/large"
cd "$web"
PSSC=$pssc LARGE=$work/large node --test test/explore_large.test.mjs
