#!/usr/bin/env bash
# Runs the README's two commands as a stranger would: on a Debian 12 base with nothing but git and make, in a fresh clone of
# what is committed, with an empty environment; first as root, then as an ordinary user for whom everything is installed.
# Prints the time of each step and the tests that failed; logs go to build-clean/. Ends with 1 where anything failed.
#
#   --quick        make demo, and then only the tests that depend on their surroundings (see `quick` below); the ordinary
#                  user gets root's build instead of a clone
#   --cache DIR    let the base use this compiler cache (ccache); without it the cache is empty, as a stranger's is
#   --only WHO     only `root`, or only `user` (root then installs and does nothing else)
#   --keep         leave the base where it is, to look at
#
# Needs root, mount and process namespaces, and 10 GB under ${TMPDIR:-/var/tmp}. Installs mmdebstrap where it is missing.
# Debian's and npm's servers, proxies and certificates are the ones that this machine uses.
set -euo pipefail
cd "$(dirname "$0")/.."
script=$PWD/scripts/clean-machine.sh
quick='^(browser|build|command|distributed\.two_hosts|explorer|faults|python)'
base_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

die() { echo "clean-machine: $1" >&2; exit 2; }

# --- inside: process 1 of its own namespaces. What it mounts and starts ends with it, however it ends. ---

inside() {
  local base=$1 source=$2 quickly=$3 only=$4 cache=$5 failed=0
  mount -t proc proc "$base/proc"
  mount -t sysfs -o ro sysfs "$base/sys"
  mount -t tmpfs -o mode=1777 tmpfs "$base/dev/shm"
  mkdir -p "$base/dev/pts"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$base/dev/pts"
  if [ -n "$cache" ]; then
    mkdir -p "$base/var/cache/compiler"
    mount --bind "$cache" "$base/var/cache/compiler"
    # In each home, because ccache does not look there where /etc names the folder. The ordinary user reads it only: its
    # files stay root's.
    mkdir -p "$base"/{root,etc/skel}/.config/ccache
    echo 'cache_dir = /var/cache/compiler' | tee "$base"/{root,etc/skel}/.config/ccache/ccache.conf > /dev/null
    printf 'read_only = true\ntemporary_dir = /tmp/ccache\n' >> "$base/etc/skel/.config/ccache/ccache.conf"
  fi
  chroot "$base" useradd --create-home stranger

  if [ "$only" != user ]; then
    checkout "$base" "$source" /root/pssc
    attempt root /root/pssc demo make demo || failed=1
    if $quickly; then
      attempt root /root/pssc build make build || failed=1
      attempt root /root/pssc tests ctest --preset release -j 2 -R "$quick" -LE slow || failed=1
    else
      attempt root /root/pssc check make check || failed=1
    fi
  else
    checkout "$base" "$source" /root/pssc
    attempt root /root/pssc setup make setup || failed=1
  fi

  if [ "$only" != root ]; then
    if $quickly && [ "$only" != user ]; then
      # Built where root's home was, hence the same path.
      chmod 755 "$base/root"
      chroot "$base" chown -R stranger: /root/pssc
      attempt stranger /root/pssc tests ctest --preset release -j 2 -R "$quick" -LE slow || failed=1
    else
      checkout "$base" "$source" /home/stranger/pssc
      chroot "$base" chown -R stranger: /home/stranger/pssc
      attempt stranger /home/stranger/pssc demo make demo || failed=1
      if $quickly; then
        attempt stranger /home/stranger/pssc build make build || failed=1
        attempt stranger /home/stranger/pssc tests ctest --preset release -j 2 -R "$quick" -LE slow || failed=1
      else
        attempt stranger /home/stranger/pssc check make check || failed=1
      fi
    fi
  fi
  return $failed
}

checkout() {  # checkout BASE SOURCE FOLDER: a clone of what is committed here
  git clone --quiet --no-hardlinks "$2" "$1$3"
  git -C "$1$3" remote remove origin
}

# attempt WHO FOLDER NAME COMMAND...: the command there, by WHO, with nothing in the environment but PATH and HOME.
attempt() {
  local who=$1 folder=$2 name=$3 home=/root begin=$SECONDS result=passed log
  shift 3
  [ "$who" = root ] || home=/home/$who
  log=build-clean/$who-$name.log
  chroot --userspec="$who:" --groups="$who" "$base" /usr/bin/env -i PATH=$base_path HOME=$home \
    /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" "$@" > "$log" 2>&1 < /dev/null || result=FAILED
  printf '%-9s %-11s %2d min %02d s  %s%s\n' "$who" "$name" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60)) \
    "$result" "$(sed -n 's/^\([0-9]*% tests passed, .*\)/: \1/p' "$log")"
  [ "$result" = FAILED ] || return 0
  if grep -q '^The following tests FAILED:' "$log"; then
    sed -n '/^The following tests FAILED:/,$p' "$log" | grep -E '^[[:space:]]+[0-9]+ - '
  else
    tail -n 30 "$log" | sed 's/^/    /'
  fi
  echo "    all of it: $PWD/$log"
  return 1
}

if [ "${1-}" = --inside ]; then
  shift
  base=$1
  inside "$@"
  exit
fi

# --- outside: makes the base, and removes it when nothing is mounted there any more. ---

quickly=false only='' cache='' keep=false
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quickly=true ;;
    --cache) cache=${2:?--cache needs a folder}; shift ;;
    --only) only=${2:?--only needs root or user}; shift ;;
    --keep) keep=true ;;
    *) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$script"; [ "$1" = --help ] && exit; die "unknown option $1" ;;
  esac
  shift
done
case $only in '' | root | user) ;; *) die "--only $only: expected root or user" ;; esac
[ "$(id -u)" -eq 0 ] || die "only root can make the base; try sudo"
unshare --mount --pid --fork true 2> /dev/null || die "mount and process namespaces are not permitted here"
if [ -n "$cache" ]; then mkdir -p "$cache" && cache=$(realpath "$cache"); fi
if ! command -v mmdebstrap > /dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap > /dev/null
fi
[ -z "$(git status --porcelain)" ] || echo "clean-machine: what is not committed is not tried"

work=$(mktemp -d "${TMPDIR:-/var/tmp}/pssc-clean.XXXXXX")
base=$work/base
running=
finish() {
  trap '' INT TERM HUP
  # With unshare its process 1 is killed, with that all others of the namespace, and with them the mounts go.
  [ -z "$running" ] || { kill -KILL "$running" 2> /dev/null; wait "$running" 2> /dev/null; } || true
  if $keep; then
    echo "the base is left at $base: chroot $base, and rm -r $work at the end"
  else
    # Files that processes being killed still write can make it fail once.
    rm -rf --one-file-system "$work" 2> /dev/null || { sleep 2; rm -rf --one-file-system "$work"; }
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
rm -rf build-clean
mkdir build-clean

# Where this machine has Debian's packages from, and how it gets there.
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  grep -E ' bookworm(-updates|-security)? ' || true)
[ -n "$sources" ] || die "apt knows of no packages of Debian 12; run apt-get update"
apt-config dump | grep -E '^Acquire::(http|https)::Proxy|^Acquire::Check-Valid-Until' > "$work/apt.conf" || true

begin=$SECONDS
apart=(unshare --mount --propagation private --pid --fork --kill-child)
TMPDIR=$work "${apart[@]}" --mount-proc mmdebstrap --variant=apt --include=ca-certificates,git,make --aptopt="$work/apt.conf" \
  bookworm "$base" - <<< "$sources" > build-clean/base.log 2>&1 &
running=$!
wait "$running" || { tail -n 20 build-clean/base.log; die "mmdebstrap failed"; }
running=
cp -L /etc/resolv.conf /etc/hosts "$base/etc/"
if compgen -G '/usr/local/share/ca-certificates/*.crt' > /dev/null; then
  cp /usr/local/share/ca-certificates/*.crt "$base/usr/local/share/ca-certificates/"
  chroot "$base" update-ca-certificates > /dev/null 2>&1
fi
# How npm gets to its packages: from npm's own settings, for everybody who has a home in the base.
if command -v npm > /dev/null; then
  for key in registry proxy https-proxy noproxy cafile strict-ssl; do
    value=$(npm config get "$key" 2> /dev/null)
    case $value in '' | null | undefined) ;; *) echo "$key=$value" ;; esac
  done > "$base/etc/skel/.npmrc"
  cp "$base/etc/skel/.npmrc" "$base/root/.npmrc"
  file=$(sed -n 's/^cafile=//p' "$base/root/.npmrc")
  if [ -n "$file" ] && [ ! -e "$base$file" ]; then install -D -m 644 "$file" "$base$file"; fi
fi
printf '%-9s %-11s %2d min %02d s\n' "" base $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60))

"${apart[@]}" "$script" --inside "$base" "$PWD" $quickly "$only" "$cache" &
running=$!
status=0
wait "$running" || status=$?
running=
exit $status
