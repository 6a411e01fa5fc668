#!/bin/sh
# one.sh - run one test with a time limit, for run.sh and prove.
#
# usage: one.sh TEST
#
# TAP goes to stdout and to $TAP_DIR. A line "# limit: N" in the first lines of
# a script says in how many seconds it ends: half as much again as it takes beside
# three others, and 60 at least, for a wait that is in vain takes as long as that;
# without it 120. It may take five times that: other work on the machine
# is no fault of ours, and a test that hangs does so for ever. A test that ends
# badly without having said "not ok" gets one, so that every count sees it.
# When something failed, what and why goes to stderr, which prove shows, with
# what the test itself wrote there. It inherits no descriptors above these and nothing
# of the make that runs the tests.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
test=$1
name=$(basename "$test")
tap=$TAP_DIR/$name.tap
errors=$TAP_DIR/$name.err
limit=$(sed -n '1,20s/^# limit: *\([0-9]*\).*/\1/p' "$test" 2>/dev/null | head -n 1)
export T_LIMIT="${limit:-120}"   # wait_for of t.sh goes by it
limit=$((T_LIMIT * 5))

case $name in
*.t|*.sh) set -- sh "$test" ;;
*)        set -- "$test" ;;
esac
# Where it is allowed, with a /dev/shm of its own, in which nobody else's files
# come and go.
if unshare -m mount -t tmpfs shm /dev/shm 2>/dev/null; then
    # shellcheck disable=SC2016 # for the other shell
    set -- unshare -m sh -c 'mount -t tmpfs shm /dev/shm && T_OWN_SHM=1 exec "$@"' - "$@"
fi
timeout -k 10 "$limit" "$@" >"$tap.raw" 2>"$errors" </dev/null \
    3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
status=$?
# cmocka 1.1.5 says "not ok" of what it skips
sed 's/^not ok \([0-9]* # SKIP\)/ok \1/' "$tap.raw" >"$tap"
rm -f "$tap.raw"

if [ $status -ne 0 ] && ! grep -q '^not ok' "$tap"; then
    case $status in
    124|137) why="took longer than $limit seconds" ;;
    *)       why="ended with status $status" ;;
    esac
    [ ! -s "$tap" ] || [ -z "$(tail -c 1 "$tap")" ] || echo >>"$tap"
    echo "not ok - $name $why" >>"$tap"
fi
if ! grep -Eq '^(1\.\.|not ok)' "$tap"; then
    echo "not ok - $name did not say how many tests it has" >>"$tap"
fi
planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$tap" | head -n 1)
said=$(grep -cE '^(not )?ok' "$tap")
if [ "${planned:-$said}" != "$said" ] && ! grep -q '^not ok' "$tap"; then
    echo "not ok - $name has $planned tests by its own words, and $said results" >>"$tap"
fi
cat "$tap"
if grep -q '^not ok' "$tap"; then
    { grep -E '^(not ok|# )' "$tap" | grep -v '^# ok'; sed 's/^/# /' "$errors"; } >&2
    exit 1
fi
