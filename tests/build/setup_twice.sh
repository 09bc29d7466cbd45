#!/usr/bin/env bash
# Where everything is installed the set-up script prints nothing, changes nothing and succeeds.
set -euo pipefail
for purpose in run check; do
  # A package that is being upgraded is not installed for a moment: whatever else works on the packages is waited for.
  for _ in $(seq 300); do
    output=$("$1/scripts/setup.sh" "$purpose" 2>&1)
    [ -n "$output" ] && pgrep -x 'apt|apt-get|aptitude|dpkg|unattended-upgr' > /dev/null || break
    sleep 1
  done
  [ -z "$output" ] || { echo "setup had something to do: $output"; exit 1; }
done
echo "nothing to do"
