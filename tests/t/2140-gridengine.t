# Inside of parallel environments of a real Grid Engine, with qsub: the tasks of a job
# are one world, wherever their nodes are, each node's slave is under its execd's
# control, and streams, exit status and orders are as outside.
# limit: 80
# shellcheck disable=SC2016,SC2154 # evaluated later; $ge_jobs are gridengine.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/gridengine.sh"
gridengine 3
batch()         # ARGUMENT...: of qsub, and a script from stdin; $status is the
{               # script's, its output in $T/out and $T/err
    { echo '#!/bin/sh'; cat; echo "code=\$?; echo \$code >'$T/code'; exit \$code"; } \
        >"$T/script"
    fresh out err code
    status=0
    ge_submit -sync y -o "$T/out" -e "$T/err" "$@" "$T/script" >"$T/qsub" 2>&1 || status=$?
    cat "$T/qsub" >&2
    # On a busy machine qsub may lose sight of a job that runs.
    if grep -q '^Unable to run job' "$T/qsub"; then
        wait_for '[ -s "$T/code" ]'
        status=$(cat "$T/code")
    fi
}
where()         # hosts of the ranks, as often as each has some
{
    sed -n 's/^rank [0-9]* on \([^ ]*\) .*/\1/p' "$T/out" | sort | uniq -c | xargs
}

batch -pe round 6 <<'END'
sort "$PE_HOSTFILE" | cut -d ' ' -f 1,2 >granted
hector-run "$APPS/where"
END
is "$status $(where)" '0 2 n1 2 n2 2 n3' 'six tasks, dealt out to three nodes'
is "$(awk '{ print $2, $1 }' granted | xargs)" "$(where)" '... as Grid Engine says'
# On a busy machine a node may be waited for, which is said.
is "$(grep -v '^hector: waiting for ' "$T/err")" '' '... and not a word on stderr'
batch -pe fill 6 <<'END'
seq 1000 | hector-run --stdin all cat | sort -n | uniq -c | awk '$1 == 6' | wc -l
END
is "$status $(out)" '0 1000' 'stdin to all tasks of two nodes, and stdout'
batch -pe round 3 <<'END'
hector-run "$APPS/exits" 1 exit 7
END
is "$status" 7 'exit status of the task that failed'
like "$T/err" '^hector: task 1 on n[123] exited with code 7' '... named with its node'
batch -pe fill 2 <<'END'
hector-run -n 5 "$APPS/hello"
END
is "$status $(wc -l <"$T/out")" '0 5' 'more tasks than granted'
is "$(wc -l <"$T/err")" 1 '... are a word of warning'

# ------------------------------------------------------------------ from outside
submit()        # ARGUMENT...: of qsub; a job runs that ends when $T/enough is there
{
    rm -f "$T/enough"
    printf '#!/bin/sh\nexec hector-run "$APPS/rounds" "$T/enough"\n' >"$T/script"
    fresh out err
    ge_submit -terse -o "$T/out" -e "$T/err" "$@" "$T/script" >id
    id=$(cat id)
    wait_for '[ "$(grep -c begun "$T/out")" = 3 ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
# All that it was is killed at once: what it had in memory that files are in goes with
# the next job.
submit -pe round 3
qdel "$id" >&2
ge_over
wait_for '[ -z "$(ge_left)" ]'
is "$(ge_left)" '' 'qdel: no task, slave or master is left on any node'

submit -pe round 3
is "$(sql "SELECT state FROM jobs WHERE job = $((job - 1))")" killed \
    '... and the next one finds it to be killed'
is "$(sql "SELECT count(DISTINCT node) FROM tasks WHERE job = $job")" 3 \
    'a job on three nodes'
is "$(ge_slaves)" "$(printf 'n1 1\nn2 1\nn3 1')" \
    '... each slave is under the execd of its node'
echo 1 >"$T/enough"
ge_over
is "$(sql "SELECT state, exit_code FROM jobs WHERE job = $job")" 'done|0' '... ends well'

# ----------------------------------------------------------- an ordinary user
. "$top/tests/lib/nobody.sh"
if nobody_may; then
    cd "$T/nobody" || exit 1
    {
        echo '#!/bin/sh'        # its home is what Grid Engine says it is
        echo "export HOME='$T/nobody' HECTOR_DB='$T/nobody/db'"
        echo 'id -u; exec hector-run "$APPS/where"'
    } >script
    theirs()
    {
        status=0
        rm -f out err
        ge_submit_by "$nobody" -sync y -o "$T/nobody/out" -e "$T/nobody/err" \
            -pe round 3 "$T/nobody/script" >&2 || status=$?
        cp out "$T/out"
    }
    theirs
    # On a busy machine qrsh may lose that, and is tried again.
    like err 'cannot reach n.*"qrsh -inherit" ended with status 1.*account.* not available' \
        'a user who may not log in on the nodes is told what qrsh says'
    sed 's|^\(nobody:.*:\)[^:]*$|\1/bin/sh|' /etc/passwd >passwd
    for h in $t_hosts; do
        on "$h" mount --bind passwd /etc/passwd
    done
    theirs
    is "$status $(head -n 1 out) $(where)$(cat err)" '0 65534 1 n1 1 n2 1 n3' \
        'a job of an ordinary user'
else
    skip 'a job of an ordinary user' 'the build is in a closed folder'
fi
cd "$T" || exit 1
done_testing
