# background.sh - a hector-run in the background, for tests that do something
# to it or to its processes meanwhile. After t.sh:
#
#     begin hector-run -n 2 sleep 100
#     kill -KILL "$(child hector-master)"
#     end; is "$status" ...
# shellcheck shell=sh

job=0
begin()         # COMMAND...: start hector-run and wait until the job runs;
{               # its number is $job, its output in $T/out and $T/err
    job=$((job + 1))
    # a shell starts what is in the background with SIGINT ignored
    env --default-signal=INT "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for 'sql "SELECT state FROM jobs WHERE job = $job" 2>/dev/null |
        grep -q running'
}
end()           # wait for it: $status
{
    status=0
    wait "$runner" || status=$?
}
child()         # NAME: the newest process of that name of this test; by its
{               # start, for numbers may begin anew
    for p in $(t_processes); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != "$1" ] ||
            echo "$(sed 's/.*) //' "/proc/$p/stat" | cut -d ' ' -f 20) $p"
    done 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2
}
stored()        # COUNT: more than so many events of this job are stored
{
    [ "$(sql "SELECT count(*) FROM event WHERE job = $job")" -gt "$1" ]
}
