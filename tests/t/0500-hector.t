# The operator's tool on a record: tables and JSON, targets, read-only SQL.
. "${0%/*}/../lib/t.sh"

run hector-run -n 2 --name sums "$APPS/tagloop" 5 --text 'a tag'
run hector-run -n 2 --name fails "$APPS/exits" 1 exit 3

run hector ps
is "$status" 0 'ps'
like "$T/out" '^JOB +NAME +STATE +TASKS +STARTED +TIME +LEFT +EXIT +COMMAND' 'head'
like "$T/out" '^ *1 sums +done +2 .* 0 .*tagloop.* 5 ' 'a job that is done'
like "$T/out" '^ *2 fails +failed +2 .* 3 ' 'a job that failed'
run hector ps -n 1
is "$(wc -l <"$T/out")" 2 'ps -n 1'
run hector ps 1
like "$T/out" '^ *0 [^ ]+ +[0-9]+ exited +0 ' 'ps JOB: its tasks'
is "$(wc -l <"$T/out")" 3 '... all of them'
like "$T/out" 'a tag$' '... with the last tag'
run hector ps 1.1
is "$(wc -l <"$T/out")" 2 'ps JOB.RANK'
run hector ps 77
is "$status" 1 'no such job'

run hector events 1
is "$(wc -l <"$T/out")" 11 'events'
like "$T/out" '^ *0 +4 a tag MPI_Iprobe [0-9:.]+ +[0-9.]+ [num]?s ' 'a row'
run hector events 1.1 -n 2
is "$(awk 'NR > 1 { print $1, $2 }' "$T/out" | tr '\n' ,)" '1 3,1 4,' \
    'events JOB.RANK -n 2'
run hector -j events 1.0
is "$(sqlite3 :memory: "SELECT json_valid(j), json_array_length(j),
    json_extract(j, '\$[0].marker'), json_extract(j, '\$[0].label'),
    json_extract(j, '\$[0].exit_ns') > json_extract(j, '\$[0].enter_ns')
    FROM (SELECT CAST(readfile('$T/out') AS TEXT) AS j)")" '1|5|0|a tag|1' \
    'events as JSON'

run hector nodes
like "$T/out" "^[^ ]+ +(up|left|lost) +[0-9]+ " 'nodes'
run hector nodes -j
like "$T/out" '^\[\{"node":' 'nodes as JSON'

run hector sql 'SELECT job, name, NULL AS none, 0.5 AS half FROM jobs'
is "$(sed 's/  */ /g; s/^ //' "$T/out" | tr '\n' ,)" \
    'job name none half,1 sums NULL 0.5,2 fails NULL 0.5,' 'sql'
run hector sql -j 'SELECT job, name, NULL AS none FROM jobs WHERE job = 1'
is "$(out)" '[{"job":1,"name":"sums","none":null}]' 'sql as JSON'
run hector sql 'SELECT job FROM jobs WHERE 0'
is "$(out)" 'job' 'no rows: the head line'
run hector sql 'DELETE FROM job'
is "$status" 1 'sql cannot write'
run hector sql 'SELECT'
is "$status" 1 'sql with a mistake'
like "$T/err" '^hector: ' '... in words'
is "$(sql 'SELECT count(*) FROM jobs')" 2 'nothing was changed'
run hector sql --db "$T/none.db" 'SELECT 1'
is "$status" 1 'no such database'
ok '... is not made' [ ! -e "$T/none.db" ]
mkdir -p "$HOME/.config/hector"
printf '[run]\nlaunch_agent = ssh\ndb = %s\n' "$T/other.db" \
    >"$HOME/.config/hector/hector.conf"
run env -u HECTOR_DB hector-run -n 1 true
is "$status" 0 'a run with a database from hector.conf'
is "$(env -u HECTOR_DB hector sql 'SELECT name FROM jobs' | xargs)" 'name true' \
    '... hector looks there too'
is "$(sql 'SELECT count(*) FROM jobs')" 2 '... $HECTOR_DB comes before it'
printf '[run]\ndatabase = x\n' >"$HOME/.config/hector/hector.conf"
run env -u HECTOR_DB hector ps
is "$status" 1 'a mistake in hector.conf'
like "$T/err" '^hector: .*hector.conf:2: ' '... is shown with its line'
run hector ps
is "$status" 0 '... and harms nobody who does not need it'
# The views are those of hector(1), with the columns that it promises.
sed -n '/^\.Sh DATABASE VIEWS/,/^\.Sh ENV/p' "$top/master/hector/hector.1" |
    awk '
        function out() {
            sub(/[:;].*/, "", text)
            if (name != "")
                print name ":" text
            name = text = ""
        }
        /^\./ { out(); name = $2 == "Sy" && $1 == ".It" ? $3 : "" }
        !/^\./ && name != "" { text = text " " $0 }' | sort >"$T/promised"
sql "SELECT m.name || ': ' || (SELECT group_concat(c.name, ', ')
    FROM pragma_table_info(m.name) c) FROM sqlite_master m
    WHERE m.type = 'view' AND m.name <> 'places'" | sort >"$T/views"
is "$(cat "$T/views")" "$(cat "$T/promised")" 'views and columns as promised'
# What tasks could not record is said wherever it is missing, to people.
sqlite3 "$HECTOR_DB" 'UPDATE task SET ring_lost = 7 WHERE job = 1 AND rank = 1'
lost='7 records of tagged calls of task 1 are lost: not all of its events are in'
for what in events report why; do
    run hector $what 1
    is "$status|$(grep -c "^$lost the database\$" "$T/out")" '0|1' \
        "$what: that events are lost"
done
run hector events 1.0
is "$(grep -c lost "$T/out")" 0 '... of other tasks none are'
run hector events -j 1
is "$(sqlite3 :memory: "SELECT json_array_length(CAST(readfile('$T/out') AS TEXT))")" \
    10 '... and JSON is as it was'
hector sql 'WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n
    WHERE i < 50000) SELECT i FROM n' | tail -n 1 >"$T/out"
is "$(tr -d ' ' <"$T/out")" 50000 'a long table'
done_testing
