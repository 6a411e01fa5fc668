# soak.sh - jobs of all kinds with random faults and random kills, one after
# the other, for a given time; after each it is checked that its status and
# record are right, that no process, file or directory was left behind, and
# that the database is sound; and all along, that the standing daemons do not
# grow.
#
#   make soak [MINUTES=60] [SEED=number] [KINDS='tags cut']
#
# Each kind of kinds.sh comes in one of several modes: `standing` goes to the
# daemons that are there all the time, `private` brings its own, `hosts` brings
# its own and starts slaves on two simulated hosts, where these can be made. A
# round that goes wrong is shown with its number; the same seed makes the same
# rounds. The figures at the end say what was run, what was killed, and how
# large the daemons were.
# shellcheck shell=sh disable=SC2086,SC2154 # words are wanted split
. "${0%/*}/../lib/t.sh"
SEED=${SEED:-$(date +%s)}
export SEED
simulated=no
if unshare -nmu true 2>/dev/null || unshare -Urnmu true 2>/dev/null; then
    if command -v ip >/dev/null; then
        simulated=yes
        hosts 2
        # what others of this user do in /dev/shm is nothing that we left
        mount -t tmpfs shm /dev/shm && : >"$T/.shm"
    fi
fi
. "$top/tests/soak/health.sh"
. "$top/tests/soak/kinds.sh"

minutes=${MINUTES:-60}
seed=$SEED
echo "# soak: $minutes minutes, seed $seed"
until_s=$(($(date +%s) + minutes * 60))
round=0
bad=0

# pick N: a number below N, the next one of the seed's row
pick()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    picked=$((seed / 65536 % $1))
}
# pick_word WORD...: one of them
pick_word()
{
    pick $#
    shift $picked
    word=$1
}

wrong()
{
    bad=$((bad + 1))
    fail "round $round ($kind, $mode, $n tasks): $1" \
        "$(tail -n 5 "$T/err" 2>/dev/null)"
}
expect() { [ "$2" = "$3" ] || wrong "$1: $2, not $3"; }

# A kind without a word about its modes knows two.
one_round()
{
    pick 6
    n=$((picked + 1))
    pick_word ${KINDS:-$kinds}
    kind=$word
    eval "pick_word \${modes_$kind:-private standing hosts}"
    mode=$word
    [ $mode != hosts ] || [ $simulated = yes ] || mode=private
    case $mode in
    private)  to= ;;
    standing) to="--master $master" ;;
    hosts)    to="--launch-agent $AGENT -H n1:8,n2:8 --map-by node" ;;
    esac
    rm -f "$T/out" "$T/err" "$T/go" "$T/said"
    "kind_$kind"
    echo "$kind $mode" >>"$T/rounds"
    health
}

daemons_up
health_begin
while [ "$(date +%s)" -lt $until_s ]; do
    round=$((round + 1))
    one_round
    [ ! -t 2 ] || printf '\rsoak: round %d, %d wrong ' $round $bad >&2
done

is $bad 0 "$round rounds"
health_end
rm -rf "$TMPDIR"/ompi.*         # of mpirun that was killed
done_testing
