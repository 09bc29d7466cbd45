#!/usr/bin/env bash
# Explores two finished runs in Chromium: 6,000 images, and a folder whose file names are a trial: explore.sh PSSC WEB.
set -euo pipefail
pssc=$1 web=$2
command -v chromium > /dev/null || { echo "skipped: no chromium"; exit 77; }
[ -d "$web/node_modules" ] || { echo "skipped: the page was built elsewhere"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$pssc" cluster synthetic:6000 -k 10 --size 16 --scales 2 --angles 4 --quiet -o "$work/many"
"$pssc" cluster synthetic:400 -k 10 --quiet -o "$work/drawn"
"$pssc" export "$work/drawn" --to folders -o "$work/folders" > /dev/null
mkdir "$work/named"
i=0
for file in "$work"/folders/*/*.png; do cp "$file" "$work/named/$((i++)).png"; done
cd "$work/named"
mv 0.png '<img src=x onerror="alert(1)">.png'
mkdir "quote'\"s &amp; <"
mv 1.png "quote'\"s &amp; </script><script>alert(2)<!--.png"
mv 2.png $'new\nline.png'
mv 3.png 'Ünïcode ☃ 数字 ‮txt.png'
mv 4.png '%2e%2e%2fetc%2fpasswd.png'
"$pssc" cluster "$work/named" -k 10 --quiet -o "$work/small"

cd "$web"
PSSC=$pssc MANY=$work/many SMALL=$work/small node --test test/explore.test.mjs
