#!/usr/bin/env bash
# The CUDA back end on a machine with a GPU: every test of it, compute-sanitizer's memcheck and racecheck over those that
# launch each kernel once, and the benchmark. `make check-cuda` builds first; with binaries from elsewhere:
#   scripts/check-cuda.sh FOLDER     that holds test_cuda, bench_cuda and pssc
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
find_program() { find "$build" -name "$1" -type f -perm -u+x | head -n 1; }
tests=$(find_program test_cuda) bench=$(find_program bench_cuda) pssc=$(find_program pssc)
[ -n "$tests" ] || { echo "check-cuda: no test_cuda in $build; this build has no CUDA back end"; exit 1; }
failed=0

"$pssc" info
if "$pssc" info | grep -q '^device *cpu'; then
  echo "check-cuda: nothing was run: there is no GPU here"
  exit 1
fi
"$tests" || failed=1

# Small cases: a sanitizer makes kernels a hundred times as slow, and racecheck those that share memory more than that.
declare -A cases=(
  [memcheck]='-CudaPipeline.*:CudaClustering.Neighbours*:CudaScattering.AnyNumber*:CudaScattering.TheSame*'
  [racecheck]='CudaRows.Sums:CudaProjection.Whitening:CudaClustering.KMeansOf*:CudaClustering.Gaussians:CudaScattering.Agrees*'
)
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null)
if [ -n "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    echo "compute-sanitizer $tool"
    "$sanitizer" --tool $tool --error-exitcode 9 "$tests" --gtest_brief=1 --gtest_filter="${cases[$tool]}" 2>&1 | tail -n 5
    [ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
  done
else
  echo "check-cuda: compute-sanitizer is not here; memcheck and racecheck were not run"
fi

"$bench" ${PSSC_BENCH_SETS:-mnist} > "${PSSC_BENCH_OUT:-/dev/null}" || failed=1
[ $failed -eq 0 ] && echo "check-cuda: all passed" || echo "check-cuda: FAILED"
exit $failed
