# Ten runs at once on one database: when it is made, when another program holds
# its lock for longer than a run takes, when a reader does that has kept the
# write-ahead log away, when the schema is an old one, beside VACUUM and
# checkpoints. Nothing is said, and each run is complete when it returns.
# limit: 60
# busy
# shellcheck disable=SC2154 # $locker is set
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/older.sh"
need sqlite3 strings

hold()          # SQL: run it, and stay there until $T/free exists
{
    rm -f "$T/free" "$T/held"
    { echo '.timeout 30000'; echo "$1"; echo ".shell touch '$T/held'"
        until [ -e "$T/free" ]; do sleep 0.05; done
        echo 'COMMIT;'; } | sqlite3 "$HECTOR_DB" >/dev/null &
    locker=$!
    wait_for '[ -e "$T/held" ]'
}

one()           # N: in the background; at its return its record is looked at
{
    status=0
    hector-run --name "$round-$1" sh -c \
        "'$APPS/tagloop' 50 && touch '$T/ran.$1'" \
        >"$T/out.$1" 2>"$T/err.$1" </dev/null || status=$?
    echo "$status $(sql "SELECT state, (SELECT count(*) || ' ' ||
        count(exit_ns) || ' ' || count(DISTINCT seq)
        FROM event e WHERE e.job = j.job), (SELECT state FROM task t
        WHERE t.job = j.job) FROM job j
        WHERE name = '$round-$1'")" >"$T/end.$1"
}

round=0
ten()           # [COMMAND]: ten runs; the command meanwhile
{
    round=$((round + 1))
    rm -f "$T"/ran.* "$T"/end.* "$T"/err.*
    tap_ten=
    for n in 0 1 2 3 4 5 6 7 8 9; do
        one $n &
        tap_ten="$tap_ten $!"
    done
    "${@:-true}"
    # shellcheck disable=SC2086 # several
    wait $tap_ten
}

have_run() { [ "$(find "$T" -name 'ran.*' | wc -l)" -ge "$1" ]; }
release()       # when a task has run, though nothing can be recorded: long before
{               # people are told of it, also where ten runs take long
    wait_for 'have_run 1'
    touch "$T/free"
    wait "$locker"
}

judge()         # WHAT
{
    is "$(cat "$T"/err.*)" '' "$1: not a word"
    is "$(sort "$T"/end.* | uniq -c | sed 's/^ *//')" \
        '10 0 done|50 50 50|exited' '... each complete when it returns'
    is "$(sql 'SELECT count(*), count(DISTINCT job), count(ended_ns)
        FROM job')" "$((round * 10))|$((round * 10))|$((round * 10))" \
        '... none is lost'
    is "$(sql 'PRAGMA journal_mode; PRAGMA integrity_check;
        PRAGMA user_version' | tr '\n' ' ')" "wal ok $schema " \
        '... and the file is as it should be'
}

# A folder that all may look into, and a umask that hides nothing: all the same
# nobody else sees the environment of the tasks, nor is it there afterwards.
HECTOR_DB=$T/model.db SECRET=xyzzy sh -c 'umask 0; hector-run -n 1 sh -c "
    stat -c %a \"\$HECTOR_DB\" \"\$HECTOR_DB\"-wal \"\$HECTOR_DB\"-shm
    strings -a \"\$HECTOR_DB\"* | grep -c SECRET=x[y]zzy"' >"$T/modes"
is "$(head -n 3 "$T/modes" | tr '\n' ' ')" '600 600 600 ' \
    'the database and what is beside it are the user'\''s own'
ok 'the environment is in it while the job runs' \
    [ "$(tail -n 1 "$T/modes")" -gt 0 ]
is "$(strings -a "$T/model.db" | grep -c SECRET=xyzzy)" 0 '... and no longer'
schema=$(HECTOR_DB=$T/model.db sql 'PRAGMA user_version')

ten
judge 'a new file'

rm -f "$HECTOR_DB"*
round=0
hold 'BEGIN IMMEDIATE; CREATE TABLE gone(x); DROP TABLE gone;'
ten release
judge 'a new file that another program has locked'

hold 'BEGIN IMMEDIATE;'
ten release
judge 'a file that is locked'

sqlite3 "$HECTOR_DB" 'PRAGMA journal_mode=DELETE' >/dev/null
hold 'BEGIN; SELECT count(*) FROM job;'
ten release
judge 'a reader where there is no write-ahead log'

older 7 || fail 'a file with schema 7 is made'
ten
judge 'a file with an older schema'

older 7 || fail 'a file with schema 7 is made'
hold 'BEGIN IMMEDIATE;'
ten release
judge '... that is locked, too'

tools()
{
    until have_run 10; do
        sqlite3 "$HECTOR_DB" '.timeout 100' 'VACUUM' 2>/dev/null
        sqlite3 "$HECTOR_DB" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null 2>&1
        hector ps >/dev/null 2>>"$T/tools"
        hector sql 'SELECT count(*) FROM events' >/dev/null 2>>"$T/tools"
    done
}
: >"$T/tools"
ten tools
judge 'beside VACUUM, checkpoints and questions'
is "$(cat "$T/tools")" '' '... which are answered'
done_testing
