# What a master that died has left behind: the next one that uses the database
# records its jobs as failed, unless it takes them up; masters that live, also
# on other hosts, are left alone.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3
child()         # NAME: pid of that process of this test
{
    for p in $(t_processes); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$1" ] && echo "$p"
    done | head -n 1
}

# Everything of a run is killed at once, so that nobody can clean up.
hector-run -n 2 sleep 100 >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'sql "SELECT state FROM jobs" 2>/dev/null | grep -q running'
master=$(child hector-master)
kill -STOP "$runner" "$master"
kill -KILL "$master"
kill -KILL "$runner"
wait $runner 2>/dev/null
wait_for '[ -z "$(t_processes)" ]'
rm -rf "$TMPDIR"/hector-*
is "$(sql 'SELECT state FROM jobs')" running 'a job whose master was killed'
run hector ps -a
ok 'hector ps does not show it as running' sh -c "! grep -q running '$T/out'"
run hector-run -n 1 true
is "$status" 0 'the next run'
is "$(sql 'SELECT state, exit_code, why FROM job WHERE job = 1')" \
    'failed|125|hector-master died' '... has recorded it as failed'
is "$(sql 'SELECT DISTINCT state FROM tasks WHERE job = 1')" lost \
    '... its tasks as lost'
is "$(sql "SELECT event, state_from, state_to FROM transition
    WHERE job = 1 ORDER BY id DESC LIMIT 1")" 'bury|running|failed' \
    '... and the step'
run hector ps -a
like "$T/out" '^ *1 .* failed ' 'hector ps shows it as failed'

# Rows of masters of which nothing is known.
sqlite3 "$HECTOR_DB" "INSERT INTO master(instance, pid, host, address,
    started_ns) VALUES(77, 1, 'elsewhere', 'unix:/x', 1);
    INSERT INTO job(name, state, master, started_ns) VALUES('far', 'running',
    77, 1); INSERT INTO master(instance, pid, host, address, started_ns)
    VALUES(78, $$, '$(hostname)', 'unix:/x', 1);
    INSERT INTO job(name, state, master, started_ns) VALUES('reused',
    'running', 78, 1);"
hector-run -n 1 sleep 100 >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE state = '\''running'\''
    AND name = '\''sleep'\''")" = 1 ]'
run hector-run -n 1 true
is "$(sql "SELECT state FROM jobs WHERE name = 'far'")" running \
    'a master on another host may be alive'
is "$(sql "SELECT state FROM jobs WHERE name = 'reused'")" failed \
    'a pid that is another program by now'
is "$(sql "SELECT count(*) FROM jobs WHERE name = 'sleep'
    AND state = 'running'")" 1 'a master that lives keeps its job'
kill -TERM "$runner"
wait $runner

# A database of the first version is brought up to date, and goes on.
newest=$(sql 'PRAGMA user_version')
columns="SELECT group_concat(m.name || '.' || c.name) FROM sqlite_schema m
    JOIN pragma_table_info(m.name) c WHERE m.name NOT LIKE 'sqlite_%'
    ORDER BY m.name, c.name"
wanted=$(sql "$columns")
rm -f "$HECTOR_DB"*
sqlite3 "$HECTOR_DB" <"$top/tests/lib/version1.sql" >/dev/null
run hector ps -a
is "$status" 0 'an older database can be read'
run hector-run -n 1 "$APPS/tagloop" 10
is "$status$(cat "$T/err")" 0 'a run with an older database'
is "$(sql 'PRAGMA user_version')" "$newest" '... which is a present one then'
is "$(sql "$columns" | tr , '\n' | sort)" "$(echo "$wanted" | tr , '\n' | sort)" \
    '... with the same tables and views'
is "$(sql "SELECT job, count(*) FROM events GROUP BY job" | xargs)" '1|6 2|10' \
    '... and has the events'

# One of a newer version is left as it is; the run goes on.
sqlite3 "$HECTOR_DB" 'PRAGMA user_version = 99'
cp "$HECTOR_DB" "$T/before.db"
run hector-run -n 2 "$APPS/exits" 1 exit 3
is "$status" 3 'a run with a database of a newer version'
like "$T/err" '^hector: .*newer Hector.*record is lost' '... says so'
ok '... and leaves it alone' cmp "$HECTOR_DB" "$T/before.db"
done_testing
