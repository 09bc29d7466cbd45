# make demo    cluster MNIST's test digits     make check       the tests of minutes: what CI runs
# make build   everything; build/pssc          make check-all   every test, again under sanitizers, and short fuzzing
# make bench   how fast it is                  make check-clean demo and check on a bare Debian 12, as root and as a user
# make soak    kills and resumes, SECONDS=60
# make check-cuda   the tests and benchmarks that need a GPU
# make fuzz SECONDS=600 [TARGET=png]   fuzz every target, or one, for so long
.PHONY: all setup command build data demo check begin-check test check-all check-asan check-tsan check-clean soak \
	check-cuda fuzz bench format format-check tidy clean
all: build

# A data folder beside the checkout is searched too, where there is one.
PSSC_DATA ?= $(shell cd ../shared/data 2> /dev/null && pwd)
export PSSC_DATA

# The page that the release build has made serves the others too.
PAGE = "-DPSSC_PAGE=$$(test ! -f build/web/dist/index.html || echo "$$(pwd)/build/web/dist/index.html")"

SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh')

setup:
	@scripts/setup.sh

# configure PRESET: a log is shown only where something is wrong. CUDA=ON or OFF overrides the preset.
configure = cmake --preset $(1) $(2) $(if $(CUDA),-DPSSC_CUDA=$(CUDA)) > build-$(1).log 2>&1 || { cat build-$(1).log; rm -f build-$(1).log; exit 1; }; \
	rm -f build-$(1).log

build: setup
	@$(call configure,release)
	@cmake --build --preset release

# The command and its page. A build folder that is set up for everything stays so.
command:
	@scripts/setup.sh run
	@grep -qs '^PSSC_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt || { $(call configure,command); }
	@cmake --build --preset command

# MNIST, where it can be had. Tests that need a missing data set are skipped and say so.
fetch_mnist = build/pssc datasets path mnist > /dev/null 2>&1 || build/pssc datasets fetch mnist || true

data: build
	@$(fetch_mnist)

demo: command
	@$(fetch_mnist)
	@scripts/demo.sh

# The tests but for those labelled slow. Ends by noting in build/checked the commit that was green.
check: begin-check data format-check
	@ctest --preset release -j 2 -LE slow
	@scripts/checked.sh end
	@build/pssc info | sed -n 's/^device *cpu (\(.*\))$$/CUDA: nothing was run on a GPU: \1/p'

begin-check:
	@scripts/checked.sh begin

test: check

# One after another: each is a build and a run of its own, and the tests measure time and memory.
check-all: begin-check data format-check
	@ctest --preset release -j 2
	@scripts/checked.sh end
	@$(MAKE) --no-print-directory check-asan
	@$(MAKE) --no-print-directory check-tsan
	@$(MAKE) --no-print-directory fuzz SECONDS=20

# The tests but for those labelled slow again under address and undefined-behaviour sanitizers, and what runs on threads under
# the thread sanitizer.
check-asan check-tsan: check-%: data
	@$(call configure,$*,$(PAGE))
	@cmake --build --preset $*
	@ctest --preset $* -j 2 -LE slow $(TESTS)

# What a stranger meets. OPTIONS="--quick" runs less; scripts/clean-machine.sh --help lists the options.
check-clean:
	@scripts/clean-machine.sh $(OPTIONS)

# On a machine with a GPU.
check-cuda: data
	@scripts/check-cuda.sh

# Clusters, predicts, kills and resumes over random inputs for so many seconds, comparing with undisturbed runs.
soak: SECONDS ?= 60
soak: build
	@scripts/soak.py --seconds $(SECONDS)

fuzz: SECONDS ?= 600
fuzz: setup
	@$(call configure,fuzz,$(PAGE))
	@cmake --build --preset fuzz
	@fuzz/run.sh build-fuzz $(SECONDS) $(TARGET)

bench: data
	@bench/table.py

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

tidy: build
	@clang-tidy -p build --quiet $(filter src/%.cpp apps/%.cpp,$(SOURCES))

clean:
	@rm -rf build build-debug build-asan build-tsan build-fuzz build-python build-clean
