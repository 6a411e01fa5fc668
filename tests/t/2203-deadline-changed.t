# hector deadline: what is due of a job that runs already is said, changed and taken
# back; slaves and policies hear of it at once, and a master after it has it, too.
# limit: 80
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/nobody.sh"
hosts 2
need sqlite3

order() { echo "$*" >"$T/order.new" && mv "$T/order.new" "$T/order"; }
kept()          # CONDITION
{
    sql "SELECT count(*) FROM deadlines WHERE job = $job AND ($1)" 2>/dev/null || echo 0
}
due()           # those in force
{
    sql "SELECT number || ' ' || text FROM deadline WHERE job = $job AND NOT over
        ORDER BY number" | xargs
}
said()          # WORDS of verdicts' text: how many there are
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'deadline' AND
        why LIKE '%$1%'" 2>/dev/null || echo 0
}
master_of()     # PID of hector-run: its private master
{
    tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r p; do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != hector-master ] || echo "$p"
    done
}
changed()       # WANTED WORD...: hector deadline says so, with status 0
{
    wanted=$1
    shift
    run hector deadline "$job" "$@"
    is "$status $(cat "$T/out" "$T/err")" "0 $job: $wanted" "changed: $*"
}
refused()       # STATUS WANTED WORD...: and nothing has changed
{
    wanted="$1 hector: $2"
    shift 2
    was=$(due)
    run hector deadline "$@"
    is "$status $(cut -c "1-$((${#wanted} - 2))" "$T/err")" "$wanted" "refused: $*"
    is "$(due)" "$was" '... and nothing has changed'
}

# Nobody watches it, and nothing is due.
fresh job.out job.err
hector-run --launch-agent "$AGENT" -H n1:2,n2:2 --oversubscribe --policy none -n 4 \
    "$APPS/beat" 5 "$T/order" >"$T/job.out" 2>"$T/job.err" </dev/null &
runner=$!
job_runs
is "$(due)" '' 'nothing is due at first'
changed 'deadline 1, beat<=100s, is added; deadline 2, in..out<=50s, is added' \
    'beat<=100s' 'in..out<=50s'
wait_for '[ "$(kept "number = 1")" -ge 40 -a "$(kept "number = 2")" -ge 10 ]'
is "$(kept 'late')" 0 'what is in time is kept'
wait_for 'grep -q "is added" "$T/job.err"'
like "$T/job.err" "job $job: deadline 1, beat<=100s, is added.*by .*@" \
    'who runs the job is told'
is "$(sql "SELECT by || ' ' || result || ' ' || why FROM actions WHERE job = $job AND
    action = 'deadline'" | sed 's/ by [^,]*,/ by X,/')" \
    'operator done hector deadline by X, beat<=100s, in..out<=50s' \
    '... and the record says who did it'

# In place of what is due of the same calls; beside it; and what is as it was.
changed 'deadline 3, beat<=90s, is added; deadline 1 is taken back' 'beat <= 90s'
changed 'deadline 4, beat<=95s,firm, is added' --add 'beat<=95s,firm'
changed 'deadline 5, 1h, is added; deadline 4 is taken back' --remove 4 1h
changed 'it is so already' 'beat<=90000ms'
changed 'deadline 6, beat<=90s,ranks=0, is added' 'beat<=90s,ranks=0'
changed 'deadlines 5 6 are taken back' --remove 60m --remove '"beat"<=90s,ranks=0'
printf '# all of it\nin..out<=50s\nbeat/80s\n' >"$T/calendar"
changed 'deadline 7, beat/80s, is added; deadline 3 is taken back' --clear \
    --calendar "$T/calendar"
is "$(due)" '2 in..out<=50s 7 beat/80s' 'what is due now'
wait_for '[ "$(kept "number = 7")" -ge 40 ]'
before=$(kept 'number IN (1, 3)')
changed 'deadline 8, in..out<=3s, is added; deadline 2 is taken back' 'in..out<=3s'

# --------------------------------------------------------------------- what is wrong
refused 2 'beat<9: column 5: after a label <=TIME, /TIME, ..LABEL<=TIME' "$job" 'beat<9'
refused 2 '--add "soon": column 1: "soon" is neither' "$job" --add soon
refused 2 '--remove "b<=": column 4: a time is wanted' "$job" --remove 'b<='
refused 1 "$job: deadline beat<=1s,ranks=3-4: there is no rank 4, the job has 4" "$job" \
    'beat<=1s,ranks=3-4'
refused 1 "$job: deadline 1 has been taken back before" "$job" beat/1s --remove 1
refused 1 "$job: there is no deadline 9: the job has 8" "$job" --remove 9
refused 1 "$job: the job has no deadline x<=1s" "$job" --remove 'x<=1s' 'y<=1s'
refused 1 "$job: the job has this deadline already, with number 7" "$job" --add beat/80s
refused 2 "$job.0: a deadline is of a whole JOB" "$job.0" 1m
refused 2 'deadline wants a JOB, and what is due' "$job"
refused 2 "$T/bad:2: column 1: " "$job" --calendar "$(
    printf '1m\nx\n' >"$T/bad" && echo "$T/bad")"
refused 1 '99: there is no such job' 99 1m
if [ "$(id -u)" = 0 ] && nobody_may 2>/dev/null; then
    # shellcheck disable=SC2086 # several words
    run $nobody env HOME="$T/nobody" "$BIN/hector" --db "$HECTOR_DB" deadline "$job" 1m
    is "$status $(due)" '1 7 beat/80s 8 in..out<=3s' 'nobody else may change it'
else
    skip 'nobody else may change it' 'this is an ordinary user'
fi

# ------------------------------------------------------------------ a master is killed
kill -9 "$(master_of $runner)"
wait_for 'grep -q "started again" "$T/job.err"'
wait_for 'hector deadline "$job" 2h >"$T/late" 2>&1'
is "$(cat "$T/late")" "$job: deadline 9, 2h, is added" 'the next one goes on with the numbers'
is "$(due)" '7 beat/80s 8 in..out<=3s 9 2h' '... and with what is due'
begun=$(kept 'number = 8')
wait_for '[ "$(kept "number = 8")" -ge $((begun + 10)) ]'
order stand 3
wait_for '[ "$(said ": missed")" -ge 1 ]'
is "$(kept 'number = 8 AND late')" 1 'what is late is said'
changed 'deadline 8 is taken back' --remove 'in..out<=3s'
order none
counted=$(kept 'number = 7')
wait_for '[ "$(kept "number = 7")" -ge $((counted + 40)) ]'
is "$(said 'met again') $(kept 'number IN (1, 3)')" "0 $before" \
    'what is taken back makes no more verdicts, nor instances'
order end
wait $runner
is $? 0 'the job has ended well'
is "$(sql "SELECT count(*) FROM (SELECT number, rank, instance FROM deadlines
    WHERE job = $job GROUP BY 1, 2, 3 HAVING count(*) > 1)")" 0 'no instance is there twice'
is "$(kept 'number = 9 AND rank IS NULL AND NOT late')" 1 'it ended in time'
sql "SELECT detail FROM verdict WHERE job = $job AND policy = 'deadline' ORDER BY seq, rowid" |
    grep . >"$T/live"
run hector replay "$job" --policy deadline
is "$(cat "$T/out")" "$(cat "$T/live")" 'hector replay finds the same, byte for byte'
refused 1 "$job: it has ended" "$job" 1m
done_testing
