# soak.sh - jobs of all kinds with random faults, one after the other, for a
# given time; after each it is checked that its status and record are right
# and that nothing was left behind, and from time to time that the standing
# daemons do not grow and the database is sound.
#
#   make soak [MINUTES=60] [SEED=number]
#
# Every other round goes to standing daemons, the rest bring their own. A
# failed round is shown with its number and seed; the same seed makes the
# same rounds. The table at the end says what was run and how large the
# daemons are.
# shellcheck shell=sh disable=SC2086,SC2016,SC2012 # words are wanted split
. "${0%/*}/../lib/t.sh"

minutes=${MINUTES:-60}
seed=${SEED:-$(date +%s)}
echo "# soak: $minutes minutes, seed $seed"
until_s=$(($(date +%s) + minutes * 60))
round=0
bad=0
: >"$T/rounds"

# pick N: a number below N, the next one of the seed's row
pick()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    picked=$((seed / 65536 % $1))
}

# below PID...: these processes and all that descend from them
below()
{
    for b_p in "$@"; do
        [ -d "/proc/$b_p" ] || continue
        echo "$b_p"
        # shellcheck disable=SC2046 # one word a process
        below $(cat "/proc/$b_p/task/$b_p/children" 2>/dev/null)
    done
}
# the process called NAME below PID
named() { below "$1" | while read -r p; do
    if [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$2" ]; then echo "$p"; fi
done; }

wrong()
{
    bad=$((bad + 1))
    fail "round $round ($kind, $mode): $1" "$(tail -n 5 "$T/err")"
}
expect() { [ "$2" = "$3" ] || wrong "$1: $2, not $3"; }

sql_job() { sql "SELECT $1 FROM jobs WHERE name = 'soak$round'"; }

# ---------------------------------------------------------------- daemons
# The daemons are the same all the time, unless a round kills one.
daemons_up()
{
    start_master
    start_slave s1
    s1=$slave_pid
    start_slave s2
    s2=$slave_pid
    wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''
        AND node IN ('\''s1'\'', '\''s2'\'')")" = 2 ]' 20
}
sizes()         # NAME rss-kB descriptors, a line a daemon
{
    for d in "master $(named "$master_pid" hector-master | tail -n 1)" \
        "slave $(named "$s1" hector-slave | tail -n 1)"; do
        echo "${d% *} $(awk '/^RssAnon/ { print $2 }' "/proc/${d#* }/status") $(
            ls "/proc/${d#* }/fd" | wc -l)"
    done
}
strangers()     # processes that are neither ours nor the daemons'
{
    t_processes >"$T/there"
    below "$master_pid" "$s1" "$s2" >"$T/known"
    grep -vxFf "$T/known" "$T/there" | while read -r p; do
        if [ -d "/proc/$p" ]; then echo "$p"; fi
    done
}

# ----------------------------------------------------------------- rounds
# hector-run in the background; $run is its pid
launch()        # ARGUMENT...
{
    hector-run $to --name "soak$round" --oversubscribe "$@" \
        >"$T/out" 2>"$T/err" </dev/null &
    run=$!
}
running() { wait_for '[ "$(sql_job state)" = running ]' 20 ||
    wrong 'did not start'; }
finish()        # WANTED...: the status is one of these
{
    wait_for "! kill -0 $run 2>/dev/null" 60 || {
        wrong 'does not end'
        kill -KILL "$run"
    }
    status=0
    wait "$run" || status=$?
    case " $* " in *" $status "*) ;; *) wrong "status $status, not $*" ;; esac
}
asleep() { launch "$@" "$APPS/hello" --wait-for "$T/never"; }

one_round()
{
    pick 6
    n=$((picked + 1))
    case $kind in
    hello)
        launch -n $n "$APPS/hello"
        finish 0
        expect lines "$(grep -c '^task' "$T/out")" $n
        ;;
    exit)
        launch -n $n "$APPS/exits" $((n - 1)) exit $((n + 10))
        finish $((n + 10))
        ;;
    signal)
        launch -n $n "$APPS/exits" 0 signal 11
        finish 139
        ;;
    abort)
        launch -n $n "$APPS/exits" 0 abort $((n + 20))
        finish $((n + 20))
        ;;
    tags)
        launch -n $n "$APPS/tagloop" 20000
        finish 0
        expect events "$(sql "SELECT count(*) FROM events WHERE job =
            (SELECT job FROM jobs WHERE name = 'soak$round')")" $((n * 20000))
        ;;
    crash)
        launch -n 1 "$APPS/tagloop" 5000 --end segv
        finish 139
        expect events "$(sql "SELECT count(*) FROM events WHERE job =
            (SELECT job FROM jobs WHERE name = 'soak$round')")" 5000
        ;;
    pipe)
        seq 200000 >"$T/in"
        hector-run $to --name "soak$round" -n 1 cat <"$T/in" >"$T/out" 2>"$T/err" ||
            wrong "status $?"
        cmp -s "$T/in" "$T/out" || wrong 'not the same bytes'
        ;;
    flood)
        launch -l -n 4 "$APPS/stream" lines 20000
        finish 0
        expect lines "$(grep -c '^[0-3]: rank [0-3] line [0-9]*$' "$T/out")" 80000
        ;;
    timeout)
        asleep --timeout 1 -n $n
        finish 124
        ;;
    interrupt)
        asleep -n $n
        running
        kill -INT $run
        finish 130
        ;;
    task)
        asleep -n $n
        running
        kill -KILL "$(sql "SELECT pid FROM tasks WHERE rank = 0 AND job =
            (SELECT job FROM jobs WHERE name = 'soak$round')")"
        finish 137
        ;;
    runner)
        asleep -n $n
        running
        kill -KILL $run
        finish 137
        wait_for '[ -n "$(sql_job ended_ns)" ]' 20 || wrong 'has not ended'
        ;;
    early)      # as its tasks are on their way into MPI, or before
        launch -n $n "$APPS/hello" --wait-for "$T/never"
        # a shell that is about to become hector-run has our traps
        wait_for '[ "$(cat "/proc/$run/comm" 2>/dev/null)" != sh ]' 5
        pick 300
        sleep "0.$(printf '%03d' "$picked")"
        kill -TERM $run
        finish 143
        ;;
    adopt)
        # both slaves are on this host, which has one such socket
        [ $mode = private ] || to="$to -H s1"
        hector-run $to --adopt --name "soak$round" -- mpirun --oversubscribe \
            -n $n "$APPS/tagloop" 1000 >"$T/out" 2>"$T/err" </dev/null ||
            wrong "status $?"
        expect events "$(sql "SELECT count(*) FROM events WHERE job =
            (SELECT job FROM jobs WHERE name = 'soak$round')")" $((n * 1000))
        ;;
    slave)
        asleep -n $n
        running
        if [ $mode = standing ]; then
            # where rank 0 is: the other node may have no task of it
            node=$(sql "SELECT node FROM tasks WHERE rank = 0 AND job =
                (SELECT job FROM jobs WHERE name = 'soak$round')")
            eval "guard=\$$node"
            kill -KILL "$(named "$guard" hector-slave | tail -n 1)"
            finish 125 141      # its tasks may take one elsewhere with them
            wait_for "! kill -0 $guard 2>/dev/null" 10
            start_slave "$node"
            eval "$node=$slave_pid"
            wait_for "[ \"\$(sql \"SELECT state FROM nodes WHERE
                node = '$node'\")\" = up ]" 20 || wrong "$node is not back"
        else
            kill -KILL "$(named $run hector-slave | tail -n 1)"
            finish 125
        fi
        ;;
    master)
        rm -f "$T/go"
        launch -n $n "$APPS/hello" --wait-for "$T/go"
        running
        if [ $mode = standing ]; then
            kill -KILL "$master_pid"
            wait "$master_pid" 2>/dev/null
            start master hector-master -d -v -f "$T/master.conf"
            master_pid=$started
        else
            kill -KILL "$(named $run hector-master)"
        fi
        : >"$T/go"
        finish 0
        ;;
    esac
    case $kind in
    runner) ;;
    early) expect 'records not complete' "$(sql_job 'sum(ended_ns IS NULL)' |
        tr -d 0)" '' ;;
    *) [ -n "$(sql_job ended_ns)" ] || wrong 'the record is not complete' ;;
    esac
    wait_for '[ -z "$(strangers)" ]' 10 2>/dev/null ||
        wrong "left behind: $(ps -o pid=,args= -p "$(strangers | paste -sd,)")"
}

kinds='hello exit signal abort tags crash pipe flood timeout interrupt task
runner slave master early adopt'
daemons_up
while [ "$(date +%s)" -lt $until_s ]; do
    round=$((round + 1))
    pick "$(echo $kinds | wc -w)"
    # shellcheck disable=SC2086 # one word a kind
    kind=$(echo $kinds | cut -d' ' -f$((picked + 1)))
    mode=private
    to=
    [ $((round % 2)) = 0 ] || { mode=standing to="--master $master"; }
    one_round
    echo "$kind $mode" >>"$T/rounds"
    if [ $round = 40 ]; then
        sizes >"$T/sizes.40"
    fi
    if [ $((round % 50)) = 0 ]; then
        [ "$(sql 'PRAGMA integrity_check')" = ok ] || wrong 'database damaged'
        [ ! -t 2 ] || printf '\rsoak: round %d, %d wrong ' $round $bad >&2
    fi
done

is "$bad" 0 "$round rounds"
is "$(sql 'PRAGMA integrity_check')" ok 'the database is sound'
is "$(sql 'SELECT count(*) FROM jobs WHERE ended_ns IS NULL')" 0 \
    'no job is still said to run'
is "$(sql 'SELECT count(*) FROM (SELECT job, rank, seq FROM event
    GROUP BY job, rank, seq HAVING count(*) > 1)')" 0 'no event is there twice'
sort "$T/rounds" | uniq -c | awk '{ printf "# %4d x %s, %s\n", $1, $2, $3 }'
if [ -e "$T/sizes.40" ]; then
    sizes | paste -d' ' "$T/sizes.40" - | awk '{
        printf "# %s: %d kB and %d descriptors after 40 rounds, " \
               "%d kB and %d at the end\n", $1, $2, $3, $5, $6 }'
    is "$(sizes | paste -d' ' "$T/sizes.40" - |
        awk '$5 > 2 * $2 + 8192 || $6 > $3 + 8' | wc -l)" 0 \
        'the daemons have not grown'
fi
done_testing
