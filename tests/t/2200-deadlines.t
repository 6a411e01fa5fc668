# What is due in a job: how hector-run takes it, and what hector shows of it, over
# rows put into the database of a real job.
# limit: 60
. "${0%/*}/../lib/t.sh"
need sqlite3

refused()       # WANTED WORD...: the sentence begins like this
{
    tap_want=$1
    shift
    run hector-run "$@" touch "$T/ran"
    is "$status $(cut -c "1-$((${#tap_want} + 8))" "$T/err")|$(grep -c . "$T/err")" \
        "2 hector: $tap_want|1" "refused: $(echo "$*" | cut -c 1-80)"
}

# ------------------------------------------------------------------ hector-run
refused '--deadline "cycle<=20": the job has this deadline already, with number 1' \
    --deadline cycle\<=20s --deadline 'cycle<=20'
refused '--deadline "soon": column 1: "soon" is neither a time for the job' \
    --deadline soon
refused 'deadline step/50ms,ranks=0-1,4: there is no rank 4, the job has 4 tasks' \
    -n 2 --deadline step/50ms,ranks=0,1,4 true : -n 2
refused '--policy none leaves nobody who would watch what --deadline says' \
    --policy none --deadline 60s
printf '60s # in time\r\n\n# more\nread..sent<=0\n' >"$T/calendar"
refused "$T/calendar:4: column 13: 0 is not from 1ns to ten years" --calendar "$T/calendar"
refused "cannot read the calendar $T: Is a directory" --calendar "$T"
printf '60s\n' >"$T/calendar"
refused "$T/calendar:1: the job has this deadline already, with number 1" \
    --deadline 1m --calendar "$T/calendar"
i=0
set --
while [ $i -lt 65 ]; do
    i=$((i + 1))
    set -- "$@" --deadline "${i}s"
done
refused '--deadline "65s": a job can have no more than 64 deadlines in all its life' \
    "$@"
is "$(ls "$T/ran" 2>/dev/null)" '' 'nothing was started'

# --------------------------------------------------------------------- hector
run hector deadlines
is "$status $(grep -c . "$T/err")" '1 1' 'there is no database yet'
run hector-run -n 2 "$APPS/tagloop" 3
is "$status" 0 'a job'
run hector deadlines 1
is "$status $(cat "$T/out")" '0 job 1 has no deadlines' 'one without deadlines'
run hector deadlines -j 1
is "$status $(tr -d '\n' <"$T/out")" '0 []' '... in JSON'
run hector deadlines
is "$status $(cat "$T/out")" \
    '0 no job that runs has deadlines, nor has the last one if none runs' \
    '... and it is the last one'
for words in '9|there is no job 9' '-j 9|there is no job 9'; do
    # shellcheck disable=SC2086 # several
    run hector deadlines ${words%|*}
    is "$status $(cat "$T/err")" "1 hector: ${words#*|}" "none that is: $words"
done
for words in '1 2|deadlines wants one JOB, or none' '1.0|deadlines are of a whole JOB' \
    'x|'; do
    # shellcheck disable=SC2086 # several
    run hector deadlines ${words%|*}
    is "$status $(grep -c "^hector: ${words#*|}" "$T/err")" '2 1' "wrong: $words"
done

# A rank on time but for the last time, a span of no single rank, one that has
# never come, and one that was taken back.
sqlite3 "$HECTOR_DB" "
    INSERT INTO deadline VALUES
        (1, 1, 'Sending assignment...<=20ms,ranks=0', 'call', 20000000, 0.2, 0, '0', 0, 5),
        (1, 2, 'read*..\"a, b\"<=30ms,firm', 'span', 30000000, 0.2, 1, NULL, 0, 5),
        (1, 3, 'never/1s', 'period', 1000000000, 0.2, 0, NULL, 0, 5),
        (1, 4, '60s', 'end', 60000000000, 0.1, 0, NULL, 1, 5);
    WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 99)
        INSERT INTO instance SELECT 1, 1, 0, i, i * 50000000, i * 50000000 + 20000000,
            i * 50000000 + 15000000 + i * 60000, 0.25 - i * 0.003, i = 99, 1000,
            CASE WHEN i > 8 THEN -0.003 END, CASE WHEN i > 8 THEN i / 100. END FROM k;
    INSERT INTO instance VALUES
        (1, 2, 4294967295, 0, 0, 30000000, 27000000, 0.1, 0, 0, NULL, NULL),
        (1, 2, 4294967295, 1, 50000000, 80000000, NULL, NULL, 1, 0, NULL, NULL);"
run hector deadlines 1
is "$(cat "$T/out")" "$(cat <<'END'
JOB NO DEADLINE                            TIMES MET MISSED MARGIN WORST TREND CHANCE STEP
  1  1 Sending assignment...<=20ms,ranks=0   100  99      1  -4.7% -4.7% -30.0  99.0% -
  1  2 read*.."a, b"<=30ms,firm                2   1      1  10.0% 10.0%     -      - -
  1  3 never/1s                                0   0      0      -     -     -      - -
  1  4 60s (taken back)                        0   0      0      -     -     -      - -
END
)" 'the table'
is "$(hector deadlines)" "$(cat "$T/out")" '... also of the last job'
is "$(hector deadlines --db "$HECTOR_DB" 1 | wc -l)" 5 '... of a file that is named'
hector deadlines -j 1 >"$T/json"
is "$(sqlite3 :memory: "SELECT
    json_extract(value, '\$.deadline') || ' ' || json_extract(value, '\$.instances')
    || ' ' || ifnull(round(json_extract(value, '\$.margin'), 3), '-') || ' ' ||
    ifnull(json_extract(value, '\$.slope'), '-') || ' ' ||
    json_extract(value, '\$.firm') || json_extract(value, '\$.over')
    FROM json_each(CAST(readfile('$T/json') AS TEXT))")" \
    'Sending assignment...<=20ms,ranks=0 100 -0.047 -0.003 00
read*.."a, b"<=30ms,firm 2 0.1 - 10
never/1s 0 - - 00
60s 0 - - 01' '... in JSON, with numbers'
is "$(sql 'SELECT * FROM deadlines WHERE number = 2')" \
    '1|read*.."a, b"<=30ms,firm|0||0|30000000|27000000|3000000|0.1|0|0|||2
1|read*.."a, b"<=30ms,firm|1||50000000|80000000||||1|0|||2' 'the view'
# As a page: a picture of each that was due at all, and words stay words.
sqlite3 "$HECTOR_DB" "INSERT INTO verdict (job, at_ns, policy, kind, score, why) VALUES
    (1, 4950000000, 'deadline', 'deadline', 1, 'late: task 0: deadline '
        || 'Sending assignment...<=20ms,ranks=0: missed by <1 ms'),
    (1, 60000000, 'deadline', 'deadline', 1, 'deadline read*..\"a, b\"<=30ms,firm: ' ||
        'met again')"
run hector report --html 1
is "$status $(grep -c '^<svg xmlns' "$T/out") $(grep -c '<h2>Calls</h2>' "$T/out")" '0 2 1' \
    'hector report --html: pictures and tables'
like "$T/out" 'figcaption>2: read.*&quot;a, b&quot;&lt;=30ms,firm, 2 times</figcaption>' \
    '... of each deadline'
is "$(grep -o '<g class="[a-z]*"><title>[^<]*' "$T/out" | sed 's/.*=".*deadline //; s/.*"//')" \
    'Sending assignment...&lt;=20ms,ranks=0: missed by &lt;1 ms
read*..&quot;a, b&quot;&lt;=30ms,firm: met again' '... with what was found'
is "$(tr -d '\n' <"$T/out" | sed 's/<style>.*<.style>//' |
    sed -E 's/<[!\/]?[A-Za-z][^<>]*>//g; s/&(amp|lt|gt|quot|#39);//g' | grep -c '[<>&"]')" 0 \
    '... and nothing else is markup'
run hector report --html -j 1
is "$status $(cat "$T/err")" '2 hector: --html or -j, not both' '... or JSON'
if command -v script >/dev/null; then
    script -qec 'stty columns 80; hector deadlines 1' "$T/tty" >/dev/null 2>&1
    is "$(tr -d '\r' <"$T/tty" | sed '/^Script/d' |
        awk 'length > 80 { n++ } /./ { lines++ } /99.0%/ { seen++ }
            END { print lines, n + 0, seen }')" '5 0 1' \
        'on a terminal it is no wider than 80 columns'
else
    skip 'on a terminal it is no wider than 80 columns' 'no script(1)'
fi

# A job that runs comes before those that have ended.
hector-run -n 1 sleep 60 &
job_pid=$!
wait_for '[ -n "$(sql "SELECT 1 FROM jobs WHERE state = '\''running'\''")" ]'
run hector deadlines
is "$(cut -c 1-30 "$T/out")" 'no job that runs has deadlines' \
    'one that runs, without deadlines'
sqlite3 "$HECTOR_DB" "PRAGMA busy_timeout = 5000; INSERT INTO deadline VALUES
    (2, 1, '1h', 'end', 3600000000000, 0.2, 0, NULL, 0, 5)" >/dev/null
is "$(hector deadlines | sed 1d | tr -s ' ')" ' 2 1 1h 0 0 0 - - - - -' '... with one'
kill $job_pid
wait $job_pid
done_testing
