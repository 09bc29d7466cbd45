#!/usr/bin/env bash
# Two network namespaces as two machines, joined by a virtual cable: ranks on both, the same labels, and a rank that dies
# on the other machine is named with it. Says "skipped" where the system does not allow namespaces.
set -uo pipefail
pssc=$1 mpirun=$2
work=$(mktemp -d)
one=pssc-one-$$ two=pssc-two-$$
clean() {
  ip netns del "$one" 2> /dev/null
  ip netns del "$two" 2> /dev/null
  rm -rf "$work"
}
trap clean EXIT
skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAILED: $1"; cat "$work/err" 2> /dev/null; exit 1; }

command -v ip > /dev/null || skip "no ip command"
ip netns add "$one" 2> /dev/null && ip netns add "$two" 2> /dev/null || skip "no network namespaces here"
# In a chroot or a container a namespace can often be made but not entered, since that mounts; the reason is the system's.
ip netns exec "$two" unshare --uts sh -c 'hostname pssc-two' 2> "$work/err" ||
  skip "a network namespace cannot be entered here: $(tr '\n' ' ' < "$work/err")"
ip link add pssc-a-$$ type veth peer name pssc-b-$$ 2> /dev/null || skip "no virtual cable"
ip link set pssc-a-$$ netns "$one" && ip link set pssc-b-$$ netns "$two" || skip "no virtual cable"
ip netns exec "$one" sh -c "ip addr add 10.77.0.1/24 dev pssc-a-$$ && ip link set pssc-a-$$ up && ip link set lo up" &&
ip netns exec "$two" sh -c "ip addr add 10.77.0.2/24 dev pssc-b-$$ && ip link set pssc-b-$$ up && ip link set lo up" ||
  skip "the virtual cable has no addresses"

# What mpirun calls in place of ssh: agent MACHINE COMMAND...
cat > "$work/agent" << AGENT
#!/bin/sh
shift
exec ip netns exec "$two" unshare --uts sh -c 'hostname pssc-two; exec /bin/sh -c "\$*"' -- "\$@"
AGENT
chmod +x "$work/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() {  # ranks OPTIONS...: one on each machine, by TCP alone; both share these cores
  ip netns exec "$one" unshare --uts sh -c 'hostname pssc-one; exec "$@"' -- \
    "$mpirun" --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 -H 10.77.0.1:1,10.77.0.2:1 --mca mpi_yield_when_idle 1 -n 2 "$pssc" "$@"
}

small=(--size 16 --scales 2 --angles 4 --threads 1 --quiet)
"$pssc" cluster synthetic:3000 -k 10 "${small[@]}" -o "$work/alone" || fail "one process"
export -f ranks
export one work mpirun pssc
timeout 120 bash -c 'ranks "$@"' bash cluster synthetic:3000 -k 10 "${small[@]}" -o "$work/shared" \
  > "$work/out" 2> "$work/err" || fail "two machines"
cmp "$work/alone/labels.csv" "$work/shared/labels.csv" || fail "other labels on two machines"

# A rank on the second machine dies.
ranks cluster synthetic:60000 -k 10 --threads 1 --quiet -o "$work/killed" > "$work/out" 2> "$work/err" &
for _ in $(seq 1200); do  # past the start, amid the work
  [ -e "$work/killed/.partial/components" ] && break
  sleep 0.1
done
for _ in $(seq 100); do
  victim=$(ip netns pids "$two" | while read -r p; do
    tr '\0' '\n' < "/proc/$p/environ" 2> /dev/null | grep -qx OMPI_COMM_WORLD_RANK=1 &&
      [ "$(readlink "/proc/$p/exe")" = "$(readlink -f "$pssc")" ] && echo "$p"
  done | head -1)
  [ -n "$victim" ] && break
  sleep 0.1
done
[ -n "$victim" ] || fail "rank 1 does not run on the second machine"
kill -KILL "$victim"
wait %1 && fail "the run ended well without rank 1"  # never ends where the others go on waiting for it
[ "$(grep -c '^pssc: ' "$work/err")" = 1 ] && grep -q '^pssc: rank 1 on pssc-two' "$work/err" || fail "not told as it should be"
echo "two machines: the same labels; $(grep '^pssc: ' "$work/err")"
