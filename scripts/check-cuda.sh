#!/usr/bin/env bash
# The CUDA back end on a machine with a GPU: every test of it, compute-sanitizer's memcheck and racecheck over tests that
# launch every kernel of ours, and the benchmark. `make check-cuda` builds first; with binaries from elsewhere:
#   scripts/check-cuda.sh FOLDER     that holds pssc, test_cuda, test_distributed, bench_cuda and libcuda.so.1, the driver
#                                    that fails
# PSSC_BENCH_SETS are the data sets of the benchmark, PSSC_BENCH_OUT a file for its JSON (bench/cuda_table.py --from).
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
find_file() { find -L "$build" -name "$1" -type f | head -n 1; }
tests=$(find_file test_cuda) ranks=$(find_file test_distributed) bench=$(find_file bench_cuda) pssc=$(find_file pssc)
[ -n "$tests" ] || { echo "check-cuda: no test_cuda in $build; this build has no CUDA back end"; exit 1; }
export PSSC_COMMAND=$pssc PSSC_FAULTY_DRIVER=$(find_file libcuda.so.1)
export PSSC_DRIVER=${PSSC_DRIVER:-$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*x86-64.*=> //p' | head -n 1)}
failed=()
step() {  # step NAME SECONDS COMMAND...: none may hang
  local name=$1 began=$SECONDS
  shift
  if timeout -k 10 "$@"; then
    echo "check-cuda: $name passed, $((SECONDS - began)) s" >&2
  else
    echo "check-cuda: $name FAILED, $((SECONDS - began)) s" >&2
    failed+=("$name")
  fi
}

"$pssc" info
if "$pssc" info | grep -q '^device *cpu'; then
  echo "check-cuda: nothing was run: there is no GPU here"
  exit 1
fi
step tests 400 "$tests" --gtest_brief=1
if [ -n "$ranks" ] && [ -n "$(command -v mpirun)" ]; then
  PSSC_MPIRUN=$(command -v mpirun) step ranks 200 "$ranks" --gtest_brief=1 --gtest_filter='GpuRanks.*'
else
  echo "check-cuda: no mpirun, or a build without it; ranks were not run"
fi

# Of our own kernels: cuBLAS's and cuSOLVER's are not ours to check, and take the most time. A sanitizer makes the others a
# hundred times as slow, so the cases are small; SmallRuns goes through the pipeline, predict and the map included.
small='CudaRows.*:CudaProjection.*:CudaEigenvectors.*:CudaClustering.*:CudaScattering.Agrees*:CudaScattering.EveryShapeOfTheFused*:CudaPipeline.SmallRuns'
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null)
if [ -n "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    step "compute-sanitizer $tool" 200 "$sanitizer" --tool $tool --kernel-name kns=pssc --error-exitcode 9 \
      "$tests" --gtest_brief=1 --gtest_filter="$small"
  done
else
  echo "check-cuda: compute-sanitizer is not here; memcheck and racecheck were not run"
fi

step benchmark 300 "$bench" ${PSSC_BENCH_SETS:-mnist fashion-mnist synthetic:10000000} > "${PSSC_BENCH_OUT:-/dev/null}"
[ ${#failed[@]} -eq 0 ] && echo "check-cuda: all passed" || echo "check-cuda: FAILED: ${failed[*]}"
exit ${#failed[@]}
