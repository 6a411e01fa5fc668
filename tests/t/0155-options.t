# Each option that --help names does what it says there, and each that is known
# and not there is refused in words: none is taken and not heeded.
# limit: 60
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need sqlite3
hosts 2

tested=
acts()          # OPTION WANTED GOT
{
    tested="$tested $1"
    is "$3" "$2" "$1"
}
got()           # WORD...: standard output in one line
{
    run hector-run --launch-agent "$AGENT" "$@"
    tr '\n' ' ' <"$T/out"
}
failing()       # STATUS EXTENDED-REGEXP WORD...
{
    tap_want=$1 tap_re=$2
    shift 2
    run hector-run "$@"
    [ "$status" = "$tap_want" ] && grep -Eq -- "$tap_re" "$T/err" && echo yes
}

# ---------------------------------------------------------------------- tasks
acts -n 'x x ' "$(got -n 2 echo x)"
acts -N 'n1 n2 ' "$(got -H n1:4,n2:4 -N 1 hostname | tr ' ' '\n' | sort |
    xargs echo) "
acts --map-by 'n1 n2 n1 n1 ' "$(for by in node slot; do
    got -H n1:2,n2:2 -n 2 --map-by $by hostname | xargs -n 1 | sort | xargs
    done | xargs) "
many=$(($(nproc) + 1))
got -n $many true
tap_warned=$(wc -l <"$T/err")
got -n $many --oversubscribe true
acts --oversubscribe '1 0' "$tap_warned $(wc -l <"$T/err")"
got -n $many -q true
acts -q '' "$(cat "$T/err")"
acts --wdir '/ ' "$(got --wdir / pwd)"
acts -x 'b ' "$(got -x A=b sh -c 'echo $A')"
acts -genv 'b b ' "$(got -genv A b sh -c 'echo $A' : sh -c 'echo $A')"

# ---------------------------------------------------------------------- hosts
acts -H 'n2 ' "$(got -H n2 hostname)"
echo 'n1 slots=3' >"$T/hostfile"
acts --hostfile 'n1 n1 n1 ' "$(got --hostfile "$T/hostfile" hostname)"
acts --launch-agent yes \
    "$(failing 125 'launch agent' -H n1 --launch-agent false true)"

# -------------------------------------------------------------------- streams
acts --stdin 'a a ' "$(echo a | hector-run -n 2 --stdin all cat | tr '\n' ' ')"
acts -l '0: x ' "$(got -l echo x)"
acts --tag-output '[1,0]<stdout>:x ' "$(got --tag-output echo x)"
acts --timestamp-output yes "$(got --timestamp-output echo x |
    grep -Eq '[0-9]\.[0-9]{6}.*x ' && echo yes)"
acts --buffer 'first second line |' "$(got --buffer line "$APPS/stream" dies
    )|$(got --buffer block "$APPS/stream" dies)"
acts -u 'first second line half' "$(got -u "$APPS/stream" dies)"
acts --output-dir 'x' "$(got --output-dir "$T/o2" echo x
    cat "$T/o2/rank.0/stdout")"
acts --merge-stderr-to-stdout 'x ' \
    "$(got --merge-stderr-to-stdout sh -c 'echo x >&2')"
acts --pty 'yes ' "$(got --pty sh -c '[ -t 0 ] && echo yes' | tr -d '\r')"
acts --stdtim 2 "$(got --stdtim "$APPS/tagloop" 1 | grep -o 'Task 0 E' | wc -l)"

# ----------------------------------------------------- ending, record, watching
acts --timeout yes "$(failing 124 'time' --timeout 0.2 sleep 100)"
acts --before-limit yes "$(export SLURM_JOB_NODELIST=login SLURM_JOB_END_TIME=$(($(date +%s) + 60))
    failing 124 'Slurm ends in' --before-limit 90s:kill sleep 100)"
got --checkpoint-dir "$T/c/d" true
acts --checkpoint-dir 700 "$(stat -c %a "$T/c/d")"
acts --checkpoint-every yes \
    "$(failing 2 'every needs --checkpoint-dir' --checkpoint-every 1h true)"
acts --checkpoint-local yes \
    "$(failing 2 'local needs --checkpoint-dir' --checkpoint-local "$T/c/l" true)"
acts --checkpoint-rate yes \
    "$(failing 2 'rate needs --checkpoint-local' --checkpoint-rate 1M true)"
acts --max-restarts yes \
    "$(failing 2 'restarts needs --checkpoint-dir' --max-restarts 1 true)"
acts --restart yes "$(failing 2 'there are no checkpoints in' --restart "$T/c/d")"
got --name 'my job' true
acts --name 'my job' "$(sql 'SELECT name FROM jobs ORDER BY job DESC LIMIT 1')"
got --db "$T/own.db" true
acts --db 1 "$(HECTOR_DB=$T/own.db sql 'SELECT count(*) FROM jobs')"
acts --policy yes "$(failing 2 'nosuch' --policy nosuch true)"
acts --on-hang yes "$(failing 123 'and --on-hang kill was given' \
    -n 2 --oversubscribe --on-hang kill --inject \
    'rank=1,call=MPI_Isend:500,fault=drop' "$APPS/ring" 100 100000)"
acts --deadline yes "$(failing 2 '--deadline "A<=x": column 4: "x" is no time' \
    --deadline 'A<=x' true)"
printf '# two\nA<=1s\n\nB<1s\n' >"$T/calendar"
acts --calendar yes "$(failing 2 "$T/calendar:4: column 2: after a label" \
    --calendar "$T/calendar" true)"
acts --on-deadline yes "$(failing 2 '--on-deadline act needs a standing master' \
    --on-deadline act --deadline 1h true)"
acts --max-suspend yes "$(failing 2 '"101" is no number from 0 to 100' \
    --max-suspend 101 true)"
acts --notify yes "$(failing 123 'notify: .*"kind":"deadlock"' \
    -n 2 --oversubscribe --on-hang kill --notify cat --inject \
    'rank=1,call=MPI_Isend:500,fault=drop' "$APPS/ring" 100 100000)"
acts --inject 1 "$(sql "SELECT count(*) FROM events WHERE rank = 1 AND
    job = (SELECT max(job) FROM jobs) AND label LIKE 'injected: drop in MPI_Isend%'")"
acts --priority 3 "$(got --priority -3 sh -c 'ps -o nice= -p $$' | tr -d ' ')"
acts --class IDL "$(got --class idle sh -c 'ps -o cls= -p $$' | tr -d ' ')"
acts --phase 'tag ' "$(got --phase tag sh -c 'echo $HECTOR_PHASE')"

# ------------------------------------------------------------ adoption, general
acts --adopt 'yes ' "$(got --adopt sh -c '[ "$HECTOR_SLAVE" ] && echo yes')"
sh -c 'eval "$(hector-run --adopt-env=$$)"; [ "$HECTOR_SLAVE" ] && echo yes' \
    >"$T/adopted" 2>"$T/err"
acts --adopt-env yes "$(cat "$T/adopted")"
acts -v yes "$(failing 0 'is done' -v true)"
acts -h yes "$(hector-run -h | grep -q '^usage' && echo yes)"
acts -V yes "$(hector-run -V | grep -q '^hector-run [0-9]' && echo yes)"
acts --migratable /none "$(hector-run --migratable sh -c 'echo $HWLOC_PLUGINS_PATH')"
start_master
start_slave here
acts --master 'x ' "$(hector-run --master "$master" echo x | tr '\n' ' ')"

# ------------------------------------------------------------------ all of them
hector-run --help | sed -n 's/^  \(-[^ =[,]*\).*/\1/p' | sort >"$T/named"
printf '%s\n' $tested | sort >"$T/tested"
is "$(comm -3 "$T/named" "$T/tested")" '' 'that was each option of --help'

is "$(failing 2 'no use with --adopt' --pty --adopt true)" yes \
    'nor is --pty taken for tasks that others start'
done_testing
