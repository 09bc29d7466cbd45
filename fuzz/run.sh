#!/usr/bin/env bash
# fuzz/run.sh BUILD SECONDS [TARGET...]: runs each target for so long, two at a time (JOBS of them), from the committed
# seeds and what earlier runs have found worth keeping. A finding is left under BUILD/findings/TARGET and ends in failure:
# mend it, and add the file to fuzz/findings/TARGET, which every build replays.
set -euo pipefail
build=$(realpath "$1") seconds=$2
shift 2
here=$(realpath "$(dirname "$0")")
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$build"/fuzz/fuzz_*; do [ -x "$program" ] && targets+=("${program##*/fuzz_}"); done
fi

TMPDIR=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/pssc-fuzz.XXXXXX")
trap 'rm -rf "$TMPDIR"' EXIT
export TMPDIR
# A leak that each input has is found by any of them; memory that a decoder asks for and is refused is its own affair.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:handle_abort=1 UBSAN_OPTIONS=print_stacktrace=1
export OPENBLAS_NUM_THREADS=1

fuzz_one() {
  local name=$1 corpus="$build/corpus/$1" findings="$build/findings/$1" log="$build/logs/$1.log"
  mkdir -p "$corpus" "$findings" "$build/logs"
  local arguments=("$corpus")
  for folder in "$here/seeds/$name" "$here/findings/$name"; do [ -d "$folder" ] && arguments+=("$folder"); done
  [ -f "$here/dictionaries/$name" ] && arguments+=("-dict=$here/dictionaries/$name")
  if "$build/fuzz/fuzz_$name" "${arguments[@]}" -artifact_prefix="$findings/" -max_total_time="$seconds" -timeout=25 \
      -rss_limit_mb=3072 -max_len=65536 -print_final_stats=1 > "$log" 2>&1; then
    echo "$name: $(summary "$log")"
  else
    echo "$name: FOUND SOMETHING, see $log: $(grep -E 'ERROR|SUMMARY|runtime error|must not be|terminate' "$log" | head -2 | tr '\n' ' ')"
    return 1
  fi
}

summary() {
  local executions covered
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$1")
  covered=$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$1" | tail -1)
  echo "$executions executions, $covered, nothing found"
}

# Not more at a time than JOBS; the first failure is remembered, and all are run.
failed=0 running=0
for target in "${targets[@]}"; do
  if [ "$running" -ge "${JOBS:-2}" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  fuzz_one "$target" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
exit $failed
