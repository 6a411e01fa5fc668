# kinds.sh - the kinds of rounds of soak.sh: kind_NAME runs a job of $n tasks
# and says what is wrong with it. modes_NAME are the modes it comes in, if not
# all three. $to are the options that say where the job runs.
# shellcheck shell=sh disable=SC2034,SC2086,SC2016,SC2154 # words are wanted split

kinds=$(sed -n 's/^kind_\([a-z_]*\)()$/\1/p' "$top/tests/soak/kinds.sh")

# hector-run in the background; $run is its pid
launch()        # ARGUMENT...
{
    hector-run $to --name "soak$round" --oversubscribe "$@" \
        >"$T/out" 2>"$T/err" </dev/null &
    run=$!
}
job_is() { sql "SELECT $1 FROM jobs WHERE name = 'soak$round'"; }
running() { wait_for '[ "$(job_is state)" = running ]' ||
    wrong 'did not start'; }
finish()        # WANTED...: the status is one of these
{
    wait_for "! kill -0 $run 2>/dev/null" || {
        wrong 'does not end'
        kill -KILL "$run"
    }
    status=0
    wait "$run" || status=$?
    wanted "$@"
}
wanted()        # STATUS...: as one of these
{
    case " $* " in *" $status "*) ;; *) wrong "status $status, not $*" ;; esac
    [ -n "$(job_is 'max(ended_ns)')" ] || wrong 'the record is not complete'
}
directly()      # COMMAND...: in the foreground, as it is
{
    status=0
    "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
}
asleep() { launch "$@" "$APPS/hello" --wait-for "$T/go"; }
# Tags, and then waits for $T/go, so that there is time for what is done to it.
tagging()       # COUNT ARGUMENT...
{
    t_count=$1
    shift
    launch "$@" sh -c '"$0" "$1"; status=$?
        while [ ! -e "$2" ]; do sleep 0.05; done; exit $status' \
        "$APPS/tagloop" $t_count "$T/go"
    running
}
events()        # COUNT: so many of this round's job are stored
{
    expect events "$(sql "SELECT count(*) FROM event WHERE job IN (SELECT job
        FROM jobs WHERE name = 'soak$round')")" "$1"
}
task()          # RANK COLUMN
{
    sql "SELECT $2 FROM tasks WHERE rank = $1 AND job =
        (SELECT job FROM jobs WHERE name = 'soak$round')"
}
a_moment() { pick 400; sleep "0.$(printf '%03d' $picked)"; }

# ---------------------------------------------------------- how jobs end
kind_hello()
{
    launch -n $n "$APPS/hello"
    finish 0
    expect lines "$(grep -c '^task' "$T/out")" $n
}
kind_exit()
{
    launch -n $n "$APPS/exits" $((n - 1)) exit $((n + 10))
    finish $((n + 10))
}
kind_signal()
{
    launch -n $n "$APPS/exits" 0 signal 11
    finish 139
}
kind_abort()
{
    launch -n $n "$APPS/exits" 0 abort $((n + 20))
    finish $((n + 20))
}
kind_timeout()
{
    asleep --timeout 1 -n $n
    finish 124
}
kind_interrupt()
{
    asleep -n $n
    running
    kill -INT $run
    finish 130
}
kind_early()    # as its tasks are on their way into MPI, or before
{
    asleep -n $n
    # a shell that is about to become hector-run has our traps
    wait_for '[ "$(cat "/proc/$run/comm" 2>/dev/null)" != sh ]'
    a_moment
    kill -TERM $run
    status=0
    wait $run || status=$?
    expect status $status 143
    expect 'records not complete' "$(job_is 'sum(ended_ns IS NULL)' |
        tr -d 0)" ''
}

# ---------------------------------------------------------------- streams
kind_pipe()
{
    seq 200000 >"$T/in"
    status=0
    hector-run $to --name "soak$round" -n 1 cat <"$T/in" >"$T/out" \
        2>"$T/err" || status=$?
    wanted 0
    cmp -s "$T/in" "$T/out" || wrong 'not the same bytes'
}
kind_gigabyte()
{
    rm -f "$T/copy"
    mkfifo "$T/copy"
    md5sum <"$T/copy" >"$T/sum" &
    status=0
    head -c 1000000000 /dev/urandom | tee "$T/copy" |
        hector-run $to --name "soak$round" -n 1 cat 2>"$T/err" |
        md5sum >"$T/out"
    wait $!
    [ -n "$(job_is 'max(ended_ns)')" ] || wrong 'the record is not complete'
    cmp -s "$T/sum" "$T/out" || wrong 'not the same gigabyte'
    rm -f "$T/copy"
}
kind_flood()
{
    launch -l -n 4 "$APPS/stream" lines 20000
    finish 0
    expect lines "$(grep -c '^[0-3]: rank [0-3] line [0-9]*$' "$T/out")" 80000
}
kind_leave()    # who reads goes away
{
    status=0
    { hector-run $to --name "soak$round" --oversubscribe -n $n yes \
        2>"$T/err" </dev/null; echo $? >"$T/said"; } | head -n 3 >"$T/out"
    status=$(cat "$T/said")
    wanted 141
}
kind_stamps()   # tagged calls and labelled lines in one stream
{
    launch -l --stdtim=- -n $n "$APPS/tagloop" 3000
    finish 0
    expect stamps "$(grep -c '^Task [0-9] E' "$T/out")" $((n * 6000))
    events $((n * 3000))
}
kind_pty()
{
    # of the tasks only that which reads has a terminal; its end is that of all
    directly "$APPS/terminal" --size 33x99 hector-run $to --name "soak$round" \
        --pty --oversubscribe -n $n sh -c '
        test ! -t 0 || { stty size; exit 5; }; exec sleep 1000'
    wanted 5
    expect 'the size of the terminal' "$(tr -d '\r' <"$T/out" |
        grep -c '^33 99$')" 1
    grep -v '^hector: task' "$T/err" >"$T/said"
    expect words "$(cat "$T/said")" ''
}

# ----------------------------------------------------------------- events
kind_tags()
{
    launch -n $n "$APPS/tagloop" 3000
    finish 0
    events $((n * 3000))
}
kind_crash()
{
    launch -n 1 "$APPS/tagloop" 3000 --end segv
    finish 139
    events 3000
}
kind_phase()
{
    launch --phase tag -n $n "$APPS/phases" 20
    finish 0
}
kind_report()   # what is asked about a job, while it runs and afterwards
{
    tagging 500 -n $n
    r_job=$(job_is job)
    for words in "ps $r_job" "events $r_job" "report $r_job" nodes ps \
        "-j why $r_job"; do
        directly hector $words
        expect "hector $words" $status 0
    done
    : >"$T/go"
    finish 0
    events $((n * 500))
    for words in "-j ps $r_job" "-j events $r_job" "-j report $r_job" \
        "report -a $r_job" "why $r_job"; do
        directly hector $words
        expect "hector $words" $status 0
    done
}
kind_stack()
{
    asleep -n $n
    running
    directly hector stack "$(job_is job)"
    expect 'hector stack' $status 0
    grep -q "^job [0-9]*: $n task" "$T/out" ||
        wrong "not the stacks of $n tasks: $(head -n 1 "$T/out")"
    : >"$T/go"
    finish 0
}
kind_suspend()
{
    asleep -n $n
    running
    s_job=$(job_is job)
    for order in suspend resume; do
        directly hector $order "$s_job"
        expect "hector $order" $status 0
        wait_for "[ \"\$(sql \"SELECT count(*) FROM tasks WHERE job = $s_job
            AND hold = '$(echo "${order}" |
            sed 's/suspend/suspended/; s/resume/going/')'\")\" = $n ]" ||
            wrong "$order was not done"
    done
    : >"$T/go"
    finish 0
}

# ----------------------------------------------------------------- faults
kind_inject()
{
    pick_word exit,code=7:7 segv:139 kill:137 exit-after:1 \
        stall,time=300ms:0 slow,time=1ms:0 cpu,size=50:0
    fault=${word%:*} want=${word##*:}
    pick 200
    at=$((picked + 20))
    launch -n 4 --inject "rank=random,call=MPI_*:$at,fault=$fault,seed=$seed" \
        "$APPS/ring" 50
    finish $want
    expect "$fault: faults" "$(sql "SELECT count(*) FROM events WHERE label
        LIKE 'injected:%' AND job = (SELECT job FROM jobs
        WHERE name = 'soak$round')")" 1
}
kind_hang()
{
    pick_word Isend:50,fault=drop Waitall:60,fault=spin
    launch -n 4 --on-hang kill:age=1s,patience=1s --inject "rank=2,call=MPI_$word" \
        "$APPS/ring" 100000
    finish 123
    expect 'verdicts on a hang' "$(sql "SELECT count(*) > 0 FROM verdicts
        WHERE kind IN ('hang', 'deadlock') AND job = (SELECT job FROM jobs
        WHERE name = 'soak$round')")" 1
}
modes_cut=hosts
kind_cut()      # the network is gone for some seconds
{
    [ $mode = hosts ] || return 0
    tagging 6000 -n $n
    pick 2
    cut_host=n$((picked + 1))
    ip link set v$cut_host down
    echo 'link for a time' >>"$T/killed"
    pick 4
    sleep $picked.5
    ip link set v$cut_host up
    : >"$T/go"
    finish 0
    events $((n * 6000))
}
modes_strangers=standing
kind_strangers()
{
    tagging 2000 -n $n
    "$APPS/stranger" -n 50 -w 3 "$master" noise:200 >"$T/said" 2>/dev/null &
    crowd=$!
    "$APPS/stranger" -w 3 "$master" hello:role=4 frame:50 >/dev/null 2>&1
    wait $crowd
    expect 'strangers' "$(head -n 1 "$T/said")" '50 closed, 0 open, 0 failed'
    : >"$T/go"
    finish 0
    events $((n * 2000))
}

# ------------------------------------------------------------------ kills
kind_task()
{
    asleep -n $n
    running
    if [ $mode = hosts ]; then echo 'task' >>"$T/killed"
        kill -KILL "$(tasks_of hello)"
    else
        killed task "$(task 0 pid)"
    fi
    finish 137
}
tasks_of()      # NAME: the newest process of that name of this test
{
    t_processes | while read -r p; do
        if [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$1" ]; then echo "$p"; fi
    done | tail -n 1
}
kind_runner()
{
    tagging 5000 -n $n
    a_moment
    killed hector-run $run
    status=0
    wait $run || status=$?
    wait_for '[ -n "$(job_is ended_ns)" ]' || wrong 'has not ended'
}
kind_slave()
{
    pick 2
    if [ $picked = 0 ]; then asleep -n $n; running; else tagging 5000 -n $n; fi
    a_moment
    case $mode in
    private)
        killed slave "$(slave_of $run)"
        finish 125
        ;;
    hosts)
        killed slave "$(slave_of $run)"
        if [ $n = 1 ]; then
            : >"$T/go"      # it may be the other host's
            finish 0 125
        else
            finish 125 141  # its tasks may take one elsewhere with them
        fi
        ;;
    standing)
        # It may have no task of the job; then that goes on.
        killed slave "$(slave_of "$s2")"
        : >"$T/go"
        finish 0 125 141
        s2_again
        ;;
    esac
}
kind_master()
{
    tagging 6000 -n $n
    a_moment
    if [ $mode = standing ]; then
        killed master "$master_pid"
        master_again
    else
        killed master "$(named $run hector-master)"
    fi
    : >"$T/go"
    finish 0
    events $((n * 6000))
}
modes_both=private
kind_both()
{
    tagging 5000 -n $n
    a_moment
    killed master "$(named $run hector-master)"
    killed slave "$(slave_of $run)"
    finish 125
}

# --------------------------------------------------------------- adoption
# Both standing slaves are on this host, which has one such socket.
adopt()         # COMMAND...
{
    case $mode in standing) to="$to -H s1" ;; esac
    hector-run $to --adopt --name "soak$round" -- "$@" \
        >"$T/out" 2>"$T/err" </dev/null &
    run=$!
}
modes_adopt='private standing'
kind_adopt()
{
    adopt mpirun --oversubscribe -n $n "$APPS/tagloop" 1000
    finish 0
    events $((n * 1000))
}
if command -v mpiexec.mpich >/dev/null && mpicc.mpich -O2 -std=gnu11 \
    -o "$T/tagloop.mpich" "$top/tests/apps/tagloop.c" -I"$build/include" \
    -L"$build/lib" -lhct -lpthread -Wl,-rpath,"$build/lib" 2>/dev/null
then :; else
    kinds=$(echo "$kinds" | grep -vx adopt_mpich)
    echo '# no MPICH here'
fi
modes_adopt_mpich='private standing'
kind_adopt_mpich()
{
    adopt mpiexec.mpich -n $n "$T/tagloop.mpich" 1000
    finish 0
    events $((n * 1000))
}
modes_adopt_script='private standing'
kind_adopt_script()
{
    case $mode in standing) to="$to -H s1" ;; esac
    cat >"$T/script" <<END
eval "\$(hector-run $to --adopt-env=\$\$ --name soak$round)"
mpirun --oversubscribe -n $n "$APPS/tagloop" 500
mpirun --oversubscribe -n 1 "$APPS/tagloop" 500
END
    directly sh "$T/script"
    expect status $status 0
    wait_for '[ -z "$(sql "SELECT job FROM jobs WHERE ended_ns IS NULL")" ]'
    # two launches, two jobs, of which the first has the name
    expect events "$(sql "SELECT count(*) FROM event WHERE job >=
        (SELECT min(job) FROM jobs WHERE name = 'soak$round')")" \
        $((n * 500 + 500))
}
modes_adopt_slave=private
kind_adopt_slave()      # what is watched is not harmed
{
    adopt mpirun --oversubscribe -n $n "$APPS/hello" --wait-for "$T/go" \
        --say "$T/said"
    wait_for '[ -e "$T/said" ]'
    killed slave "$(slave_of $run)"
    : >"$T/go"
    finish 0
    expect lines "$(grep -c '^task' "$T/out")" $n
}
modes_adopt_timeout='private standing'
kind_adopt_timeout()
{
    to="$to --timeout 2"
    adopt mpirun --oversubscribe -n $n "$APPS/hello" --wait-for "$T/go"
    finish 124
}
