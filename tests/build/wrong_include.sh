#!/usr/bin/env bash
# A stage that includes a later one must not compile: checked with the very flags its sources are compiled with.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compiles() {  # compiles STAGE HEADER: whether a source of the stage may include the header
  local flags
  mapfile -t flags < <(python3 - "$build/compile_commands.json" "$source/src/$1/" <<'PY'
import json, shlex, sys
for entry in json.load(open(sys.argv[1])):
    if entry["file"].startswith(sys.argv[2]):
        print("\n".join(a for a in shlex.split(entry["command"]) if a.startswith(("-I", "-isystem", "-std", "/usr/include"))))
        break
PY
  )
  [ ${#flags[@]} -gt 0 ] || { echo "no source of $1 is compiled"; exit 1; }
  echo "#include <pssc/$2.hpp>" > "$work/probe.cpp"
  c++ "${flags[@]}" -fsyntax-only "$work/probe.cpp" 2> /dev/null
}

for stage in images scattering projection clustering evaluation; do
  compiles "$stage" core/matrix || { echo "$stage should see core"; exit 1; }
  compiles "$stage" "$stage" || { echo "$stage should see itself"; exit 1; }
  for other in images scattering projection clustering evaluation pipeline; do
    [ "$stage" = "$other" ] && continue
    if compiles "$stage" "$other"; then echo "$stage can include $other"; exit 1; fi
  done
done
if compiles core scattering; then echo "core can include scattering"; exit 1; fi
compiles pipeline clustering || { echo "pipeline should see clustering"; exit 1; }
echo "no stage sees another"
