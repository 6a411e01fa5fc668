# A directory of checkpoints on a file system that has no locks, one that a program
# serves: one sentence says that nobody else may write there, and the run goes on.
# limit: 60
# shellcheck disable=SC2154 # $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 1                 # mounts of our own
need cc
[ -c /dev/fuse ] || skip_all 'no /dev/fuse here'
cc -std=c11 -D_GNU_SOURCE -O2 -w -o "$T/hangfs" "$top/tests/lib/hangfs.c" || exit 1
mkdir behind server
: >hang
echo 1 >enough
serves()        # [ERRNO]
{
    start served "$T/hangfs" "$T/behind" "$T/server" "$T/hang" "$@"
    wait_for 'grep -q serves "$T/served.log" || ! kill -0 $started 2>/dev/null'
    grep -q serves "$T/served.log" || skip_all "$(cat "$T/served.log")"
}
unserved() { umount -l "$T/server"; wait_for "! kill -0 $started 2>/dev/null"; }
runs() { run hector-run -n 1 --checkpoint-dir "$T/server/$1" "$APPS/rounds" "$T/enough"; }
for error in 37:'No locks available' 38:'Function not implemented'; do
    serves "${error%%:*}"
    runs "saved${error%%:*}"
    is "$status" 0 "a server that says \"${error#*:}\": the job runs"
    is "$(grep '^hector: ' "$T/err")" "hector: $T/server/saved${error%%:*} cannot be locked \
(${error#*:}): see to it that no other run writes there" '... which is said, once'
    unserved
done
serves
runs saved
is "$status $(cat "$T/err")" '0 ' 'one with locks: not a word'
unserved
done_testing
