# The line for job scripts, with a private master and with a standing one.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
need mpirun
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
ended() { [ "$(sql 'SELECT count(*) FROM jobs WHERE ended_ns IS NULL')" = 0 ]; }

for shell in sh bash; do
    command -v $shell >/dev/null || continue
    for line in '=$$' ''; do
        printf '%s\n' "eval \"\$(hector-run --adopt-env$line)\"" \
            'mpirun -n 2 "$APPS/tagloop" 100 >/dev/null' \
            'mpirun -n 3 "$APPS/hello"' 'exit 4' >"$T/script"
        before=$(sql 'SELECT count(*) FROM jobs' 2>/dev/null)
        run $shell "$T/script"
        is "$status $(wc -l <"$T/out") $(cat "$T/err")" '4 3 ' \
            "$shell, --adopt-env$line: the script is as ever"
        ok '... the session ends with it' wait_for ended
        is "$(sql "SELECT name, ntasks, state FROM jobs
            ORDER BY job LIMIT 2 OFFSET ${before:-0}" | xargs)" \
            'tagloop|2|done hello|3|done' '... and has its jobs'
    done
done
is "$(sql 'SELECT count(*) FROM events')" "$(sql "SELECT 200 * count(*) FROM jobs
    WHERE name = 'tagloop'")" 'their events are there, once'
run sh -c 'eval "$(hector-run --adopt-env=$$)"; kill -KILL $$'
is "$status" 137 'a shell that is killed'
ok '... ends its session' wait_for ended
run hector-run --adopt-env=4194303
is "$status" 125 'no such shell'
run hector-run --adopt-env true
is "$status" 2 'a command is wrong usage'

start_master
start_slave n1
cat >"$T/script" <<END
eval "\$(hector-run --adopt-env=\$\$ --name night --master $master)"
mpirun -n 2 "$APPS/hello"
END
run sh "$T/script"
is "$status $(wc -l <"$T/out") $(cat "$T/err")" '0 2 ' 'with a standing master'
ok '... the session ends' wait_for ended
is "$(sql 'SELECT name, ntasks, state FROM jobs ORDER BY job DESC LIMIT 1')" \
    'night|2|done' '... with its name'
is "$(sql 'SELECT DISTINCT t.node FROM tasks t JOIN jobs j USING (job)
    WHERE j.name = '"'night'")" n1 '... on the standing slave'
run hector-run --adopt --master "$master" -- mpirun -n 2 "$APPS/hello"
is "$status" 0 '--adopt as well'
kill -TERM "$master_pid"
wait_for '! kill -0 "$master_pid" 2>/dev/null'
run hector-run --adopt --master "$master" -- true
is "$status" 125 'without a master nothing is run'
done_testing
