#!/usr/bin/env bash
# pip installs the package from the checkout with no network, and it works from anywhere; so does `python -m pssc`:
# pip_install.sh SOURCE BUILD PYTHON.
set -euo pipefail
source=$1 build=$2 python=$3
for module in venv pip setuptools wheel pybind11; do
  "$python" -c "import $module" 2> /dev/null || { echo "skipped: no $module for $python"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH

# From a copy, because setuptools writes beside what it builds, and a checkout may be read-only.
mkdir "$work/source"
tar -C "$source" --exclude=./.git --exclude=./build --exclude='./build-*' --exclude=./out --exclude=./data -c . | tar -C "$work/source" -x
chmod -R u+w "$work/source"

# The same flags as the build's, so that ccache has most of it already, and sanitizers where it has them.
CMAKE_ARGS=$(sed -nE "s/^((PSSC_(WERROR|SANITIZE)|CMAKE_(BUILD_TYPE|CXX_FLAGS_RELWITHDEBINFO|CUDA_ARCHITECTURES)):[A-Z]+=..*)/-D'\1'/p" \
  "$build/CMakeCache.txt" | tr '\n' ' ')
export CMAKE_ARGS
preloaded=${LD_PRELOAD-}  # for what is installed, not for what installs it
unset LD_PRELOAD
for page in "$build/web/dist/index.html" "$source/build/web/dist/index.html" "$source/bindings/python/plain_page.html"; do
  if [ -e "$page" ]; then export PSSC_PAGE=$page && break; fi
done
"$python" -m venv --system-site-packages "$work/venv"
# Where the locale is C, Python sets LC_CTYPE for its children, and ccache would find nothing.
PYTHONCOERCECLOCALE=0 "$work/venv/bin/pip" install --no-index --no-build-isolation --no-deps --quiet "$work/source"

cd "$work"
[ -z "$preloaded" ] || export LD_PRELOAD=$preloaded
venv/bin/python - <<'PY'
from importlib.metadata import version
import pssc
assert "site-packages" in pssc.__file__, pssc.__file__
X, y = pssc.datasets.load_synthetic(2000, return_X_y=True)
model = pssc.PSSC(10).fit(X)
assert pssc.metrics.clustering_accuracy(y, model.labels_) > 0.9
assert len(pssc.report(model, X).html) > 10_000
assert version("pssc") == pssc.__version__
PY
venv/bin/python -m pssc cluster synthetic:200 -k 10 -o out --quiet
venv/bin/pssc info > /dev/null
[ -s out/report.html ]
if ldd venv/lib/python3*/site-packages/pssc/_core*.so | grep -q "$source"; then echo "it leans on the checkout"; exit 1; fi
echo "installed, and it works"
