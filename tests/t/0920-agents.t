# Launch agents that fail, hang, talk, or talk without end; and lists of hosts
# with ranges. The hosts are this machine under other names.
# limit: 60
# shellcheck disable=SC2016 # agents expand
. "${0%/*}/../lib/t.sh"

# agent NAME LINE...: a launch agent: $1 is the host, run starts the slave
agent()
{
    name=$T/$1
    shift
    { printf '#!/bin/sh\nhost=$1\nshift\nrun() { exec "$@"; }\n'
      printf '%s\n' "$@"; } >"$name"
    chmod +x "$name"
}
mkdir -p "$HOME/.config/hector"
conf="$HOME/.config/hector/hector.conf"
# Longer than this test may take: what ends by join_wait alone fails.
printf '[master]\njoin_wait = 1h\n' >"$conf"

agent plain 'run "$@"'
run hector-run --launch-agent "$T/plain" -H far1,far2 -n 2 "$APPS/hello"
is "$status" 0 'an agent that does its work'

# ------------------------------------------------------------------- failing
agent fails 'case $host in far2) echo "no route to $host" >&2; exit 3;; esac' \
    'run "$@"'
run hector-run --launch-agent "$T/fails" -H far1,far2 -n 2 "$APPS/hello"
is "$status" 125 'an agent that fails: 125'
like "$T/err" '^hector: cannot reach far2: launch agent .* ended with status 3' \
    '... with a sentence that names host and status'
like "$T/err" '^hector: far2: no route to far2' '... after its own words'
agent closed 'echo "Welcome to far1"; echo "This account is not available."; exit 1'
run hector-run --launch-agent "$T/closed" -H far1 -n 1 true
like "$T/err" 'ended with status 1 before a slave joined from there: This account is not' \
    '... or with the last of them, if it said them on stdout'
run hector-run --launch-agent "$T/no-such-agent" -H far1 -n 1 true
is "$status" 125 'an agent that is not there: 125'
like "$T/err" '^hector: launch agent for far1: .*no-such-agent' '... and a sentence'
agent dies 'kill -9 $$'
run hector-run --launch-agent "$T/dies" -H far1 -n 1 true
like "$T/err" 'cannot reach far1: .* was killed by signal 9' 'an agent that dies'

# It fails while the master cannot write the job into a database that is locked: the
# record has that sentence, and not that hector-run has gone. The agent waits for as
# long as it takes to submit a job; where that takes longer there is none.
: >"$T/err"
agent soon 'sleep 1' 'echo too late >&2' 'exit 3'
{ echo 'BEGIN IMMEDIATE;'; echo ".shell touch '$T/locked'"
    wait_for '[ -s "$T/err" ]' >&2; echo 'COMMIT;'; } | sqlite3 "$HECTOR_DB" &
wait_for '[ -e "$T/locked" ]'
run hector-run --launch-agent "$T/soon" -H far1 -n 1 --name unwritten true
wait "$!"
is "$status $(sql "SELECT count(*) FROM jobs WHERE name = 'unwritten' AND
    exit_code <> 125") wrong" '125 0 wrong' \
    'one that fails before its job could be written'
is "$(grep -c 'cannot reach' "$T/err")" 1 '... which is said once'

agent backgrounds '("$@" &)' 'sleep 0.5' 'exit 0'
run hector-run --launch-agent "$T/backgrounds" -H far1 -n 1 echo 'done'
is "$status $(out)" '0 done' 'an agent that leaves its slave behind will do'

# ------------------------------------------------------------------- hanging
agent hangs 'case $host in far2) exec sleep 1000;; esac' 'run "$@"'
printf '[master]\njoin_wait = 8s\n' >"$conf"
run hector-run --launch-agent "$T/hangs" -H far1,far2 -n 2 "$APPS/hello"
is "$status" 125 'an agent that hangs: 125'
like "$T/err" '^hector: .*far2' '... with a sentence that names the host'
is "$(grep -c far1 "$T/err")" 0 '... and not the other'
printf '[master]\njoin_wait = 1h\n' >"$conf"
hector-run --launch-agent "$T/hangs" -H far1,far2 -n 2 true \
    >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
    grep -q waiting'
kill -INT $runner
status=0
wait $runner || status=$?
is "$status" 130 'interrupted while it hangs: 130'

# --------------------------------------------------------------------- noise
agent talks 'echo "Welcome to $host"; printf "no newline"' \
    'echo "your mail waits" >&2; run "$@"'
run hector-run --launch-agent "$T/talks" -H far1,far2 -n 2 -l echo word
is "$(sort "$T/out" | tr '\n' ,)" '0: word,1: word,' \
    'noise of agents is not in the standard output'
is "$(sort "$T/err" | tr '\n' ,)" \
    'hector: far1: your mail waits,hector: far2: your mail waits,' \
    '... that on stderr is told with its host, line by line'
agent babbles 'yes noise & pid=$!' '"$@"; code=$?; kill $pid; exit $code'
run hector-run --launch-agent "$T/babbles" -H far1 -n 1 cat /etc/hostname
is "$status $(out)" "0 $(cat /etc/hostname)" 'noise without end on stdout'

# -------------------------------------------------------------------- ranges
for list in 'a[1-3]:1/a1 a2 a3' 'a[1,3-4],b/a1 a3 a4 b' \
    'n[08-11]/n08 n09 n10 n11' 'x[1-2]y/x1y x2y'; do
    names=${list#*/}
    run hector-run --launch-agent "$T/plain" -H "${list%/*}" -N 1 true
    is "$(sql "SELECT group_concat(node, ' ') FROM (SELECT node FROM tasks
        WHERE job = (SELECT max(job) FROM jobs) ORDER BY rank)")" "$names" \
        "-H ${list%/*}"
done
run hector-run --launch-agent "$T/plain" -H 'a[3-1]' -n 1 true
is "$status" 2 'a range that runs backwards: wrong usage'
like "$T/err" '^hector: .*a\[3-1\]' '... and names it'
done_testing
