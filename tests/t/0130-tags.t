# Tagged calls: the line of stdtim byte by byte, and the same in the database.
# limit: 60
. "${0%/*}/../lib/t.sh"
mm="$top/tests/apps/mm.small"

run hector-run -n 4 --oversubscribe --stdtim=- "$APPS/mm" "$mm"
is "$status" 0 'the matrix example runs'
like "$T/out" '^0: The product is right$' '... and is right'
grep '^Task' "$T/out" >"$T/tim"
is "$(grep -cvP '^Task \d+ (Enter|Exit ):[^\t]+\t\d+\t\d+\.\d{6}$' "$T/tim")" 0 \
    'every stdtim line has the promised form'
is "$(wc -l <"$T/tim")" 24 'task 0 stamps 9 calls, the others 1 each'
is "$(sed -n 's/^Task 0 Enter:\([^\t]*\)\t\([0-9]*\)\t.*/\2 \1/p' "$T/tim" |
    head -n 4 | tr '\n' ,)" "0 Sending assignment...,1 About to bcast N and \
K...,2 Bcast some rows...,3 About to send some rows...," 'as in the paper'
is "$(grep '^Task 0' "$T/tim" | awk -F'\t' '{ split($1, w, " ")
    if (w[3] ~ /^Enter/) { if (open) bad++; open = 1; m = $2 }
    else { if (!open || m != $2) bad++; open = 0 }
    if ($3 + 0 < last) bad++
    last = $3 + 0 } END { print bad + 0 }')" 0 'enter and exit alternate in time'
# The same stamps in the database, to the microsecond.
sql "SELECT 'Task ' || rank || ' Enter:' || label || char(9) || marker ||
    char(9) || printf('%d.%06d', enter_ns / 1000000000, enter_ns / 1000
    % 1000000) FROM events UNION ALL SELECT 'Task ' || rank || ' Exit :' ||
    label || char(9) || marker || char(9) || printf('%d.%06d', exit_ns /
    1000000000, exit_ns / 1000 % 1000000) FROM events" | sort >"$T/db"
ok 'stream and database have the same stamps' sh -c \
    "sort '$T/tim' | diff - '$T/db' >&2"
is "$(sql "SELECT call, count(*) FROM events GROUP BY call ORDER BY call" |
    tr '\n' ' ')" 'MPI_Bcast|2 MPI_Recv|3 MPI_Scatter|1 MPI_Send|6 ' \
    'the function is recorded'

run hector-run -n 1 --stdtim="$T/file" "$APPS/tagloop" 3
is "$(wc -l <"$T/file")" 6 '--stdtim=FILE'
run hector-run -n 1 --stdtim=fd:7 "$APPS/tagloop" 3 7>"$T/file"
is "$(wc -l <"$T/file")" 6 '--stdtim=fd:N'
ok '... nothing of it on stdout' sh -c "! grep -q ^Task '$T/out'"
run hector-run -n 1 "$APPS/tagloop" 3
ok 'without --stdtim it is stored only' sh -c "! grep -q ^Task '$T/out'"

text=$(printf 'a\tb\nc "q" \303\244 \\')
run hector-run -n 1 --stdtim=- "$APPS/tagloop" 1 --text "$text"
is "$(grep -c '^Task' "$T/out")" 2 'newline and tab in a text: one line a stamp'
like "$T/out" '^Task 0 Enter:a\\tb\\nc "q" ' '... written as \t and \n'
is "$(sql 'SELECT label FROM events ORDER BY job DESC, marker LIMIT 1')" \
    "$text" '... kept as it is in the database'
run hector-run -n 1 "$APPS/tagloop" 1 --text ''
is "$(sql "SELECT count(*) FROM events WHERE job = (SELECT max(job) FROM
    jobs) AND label = ''")" 1 'an empty text'
done_testing
