#!/usr/bin/env bash
# Writes build/checked, which holds the hash of the commit that `make check` last found to be green.
#
#   checked.sh begin   forgets the last one, and notes which commit is about to be checked
#   checked.sh end     writes that commit's hash, unless the tree had uncommitted changes, then or now
set -euo pipefail
cd "$(dirname "$0")/.."

# The commit, or nothing where the tree differs from it or is no git repository.
clean_commit() {
  local changes
  changes=$(git status --porcelain 2> /dev/null) && [ -z "$changes" ] && git rev-parse HEAD
}

mkdir -p build
case ${1-} in
  begin)
    rm -f build/checked
    clean_commit > build/checking || true
    ;;
  end)
    if commit=$(clean_commit) && [ "$commit" = "$(cat build/checking)" ]; then
      echo "$commit" > build/checked
    fi
    rm -f build/checking
    ;;
  *)
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
