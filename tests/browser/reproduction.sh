#!/usr/bin/env bash
# Reproduces what takes seconds, opens its page in Chromium and looks at it, and at a sample of the rest:
# reproduction.sh PSSC WEB.
set -euo pipefail
pssc=$1 web=$2
command -v chromium > /dev/null || { echo "skipped: no chromium"; exit 77; }
[ -d "$web/node_modules" ] || { echo "skipped: the page was built elsewhere"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

items=(poc)
if "$pssc" datasets path mnist-test > /dev/null 2>&1; then items+=(angles eigenvalues); else echo "no mnist-test: only the toys"; fi
"$pssc" reproduce "${items[@]}" --quiet -o "$work/out"
cd "$web"
REPRODUCTION=$work/out/reproduction.html node --test test/reproduction.test.mjs
