# health.sh - the standing daemons of soak.sh, what is looked at after each
# round, and the figures at the end.
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # of and for soak.sh

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
# named PID NAME: the processes of that name below PID
named()
{
    below "$1" | while read -r p; do
        if [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$2" ]; then echo "$p"; fi
    done
}
slave_of() { named "$1" hector-slave | tail -n 1; }

# ---------------------------------------------------------------- daemons
# They are the same all the time, unless a round kills one: s1 is never killed.
up() { [ "$(sql "SELECT state FROM nodes WHERE node = '$1'" 2>/dev/null)" = up ]; }
daemons_up()
{
    : >"$T/rounds"
    : >"$T/killed"
    : >"$T/sizes"
    start_master
    start_slave s1
    s1=$slave_pid
    start_slave s2
    s2=$slave_pid
    wait_only 'up s1 && up s2' 60 || echo '# a slave is missing'
}
master_again()
{
    wait "$master_pid" 2>/dev/null
    start master hector-master -d -v -f "$T/master.conf"
    master_pid=$started
}
s2_again()
{
    wait_for "! kill -0 $s2 2>/dev/null"
    start_slave s2
    s2=$slave_pid
    wait_only 'up s2' 60 || wrong 's2 is not back'
}
# killed WHAT PID: kill -9 it, and count
killed()
{
    echo "$1" >>"$T/killed"
    kill -KILL "$2" 2>/dev/null || wrong "no $1 to be killed"
}

# ------------------------------------------------------------ after a round
size()          # NAME PID: a line with its memory (kB) and descriptors
{
    echo "$1 $2 $round $(awk '/^RssAnon/ { print $2 }' "/proc/$2/status") $(
        find "/proc/$2/fd" -mindepth 1 | wc -l)"
}
strangers()     # processes that are neither ours nor the daemons'
{
    t_processes >"$T/there"
    below "$master_pid" "$s1" "$s2" >"$T/known"
    grep -vxFf "$T/known" "$T/there" | while read -r p; do
        if [ -d "/proc/$p" ]; then echo "$p"; fi
    done
}
directories()   # in TMPDIR here and there, but for what a killed mpirun leaves
{
    find "$TMPDIR" -mindepth 1 -maxdepth 1 ! -name 'ompi.*'
    for h in $t_hosts; do
        on "$h" ls -A "$TMPDIR" /dev/shm | grep -v '^/.*:$\|^$'
    done
}
more_directories() { [ "$(directories | wc -l)" -gt "$n_directories" ]; }

health_begin()
{
    t_hosts=${t_hosts:-}
    n_directories=$(directories | wc -l)
    check_ms=0
    checks=0
}
health()
{
    wait_only '[ -z "$(strangers)" ]' 60 2>/dev/null ||
        wrong "left behind: $(ps -o pid=,args= -p "$(strangers | paste -sd,)")"
    wait_only '[ -z "$(t_new_shm)" ]' 60 2>/dev/null ||
        wrong "left in /dev/shm: $(t_new_shm)"
    if wait_only '! more_directories' 60 2>/dev/null; then :; else
        wrong "left in TMPDIR: $(directories | tr '\n' ' ')"
        n_directories=$(directories | wc -l)
    fi
    size master "$(named "$master_pid" hector-master | tail -n 1)" >>"$T/sizes"
    size slave "$(slave_of "$s1")" >>"$T/sizes"
    health_database
}
# The jobs of this round, and as long as it does not take long (else every
# twentieth time) the whole file.
health_database()
{
    expect 'jobs still said to run' \
        "$(sql 'SELECT count(*) FROM jobs WHERE ended_ns IS NULL')" 0
    expect 'tasks still said to run' "$(sql "SELECT count(*) FROM tasks
        WHERE job IN (SELECT job FROM jobs WHERE name = 'soak$round')
        AND state NOT IN ('exited', 'killed', 'lost')")" 0
    expect 'events out of order or twice' "$(sql "SELECT count(*) FROM (
        SELECT count(*) AS n, count(DISTINCT seq) AS d, max(seq) AS m
        FROM event WHERE job IN (SELECT job FROM jobs
        WHERE name = 'soak$round') GROUP BY job, rank)
        WHERE n <> d OR n <> m + 1")" 0
    [ $check_ms -lt 200 ] || [ $((round % 20)) = 0 ] || return 0
    check_a=$(date +%s%N)
    expect 'the database' "$(sql 'PRAGMA quick_check(1)')" ok
    check_ms=$((($(date +%s%N) - check_a) / 1000000))
    checks=$((checks + 1))
}

# ----------------------------------------------------------------- figures
# Each life of a daemon that lasted for 40 rounds: it has grown if it has many
# more descriptors, or much more memory, than in its tenth round.
lives()
{
    awk '{ id = $1 " " $2; n[id]++; if (n[id] == 1) order[++lives] = id
           if (n[id] <= 10) { kb[id] = $4; fd[id] = $5 }
           kb_last[id] = $4; fd_last[id] = $5 }
        END { for (i = 1; i <= lives; i++) { id = order[i]
            print id, n[id], kb[id], fd[id], kb_last[id], fd_last[id] } }' \
        "$T/sizes"
}
health_end()
{
    sort "$T/rounds" | uniq -c | awk '{ printf "# %4d x %s, %s\n", $1, $2, $3 }'
    echo "# $round rounds of $(cut -d' ' -f1 "$T/rounds" | sort -u | wc -l)" \
        "kinds, $bad wrong"
    echo "# killed: $(sort "$T/killed" | uniq -c |
        awk '{ printf "%s%d x %s", sep, $1, $2; sep = ", " }')"
    lives | sort -k1,1 -k3,3nr | awk '$1 != last { last = $1
        printf "# %s that lived longest, %d rounds: %d kB and %d descriptors " \
               "at first, %d kB and %d at the end\n", $1, $3, $4, $5, $6, $7 }'
    is "$(lives | awk '$3 >= 40 && ($6 > 2 * $4 + 8192 || $7 > $5 + 8)')" '' \
        'the daemons have not grown'
    is "$(sql 'PRAGMA integrity_check')" ok \
        "the database is sound, in the end and $checks times before"
    echo "# database: $(sql "SELECT (SELECT count(*) FROM job) || ' jobs, ' ||
        (SELECT count(*) FROM event) || ' events, ' || (SELECT count(*)
        FROM verdict) || ' verdicts'"), $(du -m "$HECTOR_DB" | cut -f1) MB"
    is "$(sql 'SELECT count(*) FROM (SELECT job, rank, seq FROM event
        GROUP BY job, rank, seq HAVING count(*) > 1)')" 0 \
        'no event is there twice'
}
