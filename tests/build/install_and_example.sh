#!/usr/bin/env bash
# Installs into an empty prefix, builds examples/cpp against it as a separate project, and runs what was built.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" > /dev/null
for file in bin/pssc include/pssc/pssc.hpp share/man/man1/pssc.1; do
  [ -s "$work/prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$work/prefix/bin/pssc" info > /dev/null
man -l "$work/prefix/share/man/man1/pssc.1" > "$work/man" 2> "$work/man.errors"
[ ! -s "$work/man.errors" ] || { echo "the man page has errors:"; cat "$work/man.errors"; exit 1; }
for command in $("$build/pssc" --help | sed -n '/^Subcommands:/,/^$/p' | sed -n 's/^  \([a-z]\+\) .*/\1/p'); do
  grep -q "pssc $command" "$work/man" || { echo "the man page says nothing of pssc $command"; exit 1; }
done

flags=$(sed -n 's/^PSSC_SANITIZE:[A-Z]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
cmake -S "$source/examples/cpp" -B "$work/example" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$flags" > /dev/null
cmake --build "$work/example" > /dev/null
"$work/example/stage_by_stage"
[ "$("$work/example/cluster_images" synthetic:200 10 2> /dev/null | wc -l)" -eq 200 ]
echo "installed, built and ran the examples"
