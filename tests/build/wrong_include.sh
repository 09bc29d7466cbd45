#!/usr/bin/env bash
# A stage that includes a later one must not compile: its headers are looked for with the very flags its sources have.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stages=(images scattering projection clustering evaluation)
# A file for each folder, $work/FOLDER: the flags that its first source is compiled with and that say where headers are.
python3 - "$build/compile_commands.json" "$source/src" "$work" core pipeline "${stages[@]}" <<'PY'
import json, pathlib, shlex, sys
commands, sources, work, *folders = sys.argv[1:]
entries = json.load(open(commands))
for folder in folders:
    command = next((e["command"] for e in entries if e["file"].startswith(f"{sources}/{folder}/")), None)
    if command is None:
        sys.exit(f"no source of {folder} is compiled")
    flags = [a for a in shlex.split(command) if a.startswith(("-I", "-isystem", "-std", "/usr/include"))]
    pathlib.Path(work, folder).write_text("".join(flag + "\n" for flag in flags))
PY

finds() {  # finds FOLDER HEADER: whether a source of the folder can include the header, and all that it includes
  local flags
  mapfile -t flags < "$work/$1"
  echo "#include <pssc/$2.hpp>" | c++ "${flags[@]}" -x c++ -E - > /dev/null 2> "$work/errors"
}

should_find() {
  finds "$1" "$2" || { echo "$1 should see $2:"; cat "$work/errors"; exit 1; }
}

for stage in "${stages[@]}"; do
  should_find "$stage" core/matrix
  should_find "$stage" "$stage"
  for other in "${stages[@]}" pipeline; do
    [ "$stage" = "$other" ] && continue
    if finds "$stage" "$other"; then echo "$stage can include $other"; exit 1; fi
  done
done
if finds core scattering; then echo "core can include scattering"; exit 1; fi
should_find pipeline clustering
echo "no stage sees another"
