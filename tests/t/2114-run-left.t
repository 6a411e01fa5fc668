# What a run leaves that is killed with its master and its slave: the next run of the
# same user on that host removes it, and nothing else.
# limit: 60
# shellcheck disable=SC2086 # $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/nobody.sh"
nobody_rather
D=$TMPDIR
left()          # directories of runs; slaves see to theirs
{
    for f in "$D"/hector-*/run.lock; do
        [ ! -e "$f" ] || dirname "$f"
    done
}
up()            # NAME: a job runs; $dir is the directory of its run
{
    left >before
    start "$1" $nobody hector-run -n 1 --name "$1" sleep 1000
    wait_for "sql \"SELECT state FROM jobs WHERE name = '$1'\" 2>/dev/null |
        grep -q running"
    dir=$(left | grep -vxFf before)
}

up alive
alive=$dir alive_pid=$started
is "$(cat "$alive/run.lock")" "$(uname -n)" 'a run says on which host it is'
up dead
dead=$dir dead_pid=$started
ok 'each has a directory of its own' [ "$(left | wc -l)" = 2 ]
# All at once: whoever is left would clear up. So who kills them is not held up.
before_others
family() { for p in "$@"; do echo "$p"; family $(pgrep -P "$p"); done; }
# shellcheck disable=SC2046 # several
$now env kill -KILL $(family "$dead_pid") 2>/dev/null
wait_for '! kill -0 $dead_pid 2>/dev/null'
ok 'one that is killed with all it has started leaves it' [ -S "$dead/master.sock" ]

# What looks like that, but is on another host, still locked, of a slave, or of nobody.
made()          # NAME [LINE of its run.lock]
{
    mkdir -m 700 "$D/hector-$1"
    [ $# = 1 ] || printf %s "$2" >"$D/hector-$1/run.lock"
    echo >"$D/hector-$1/file"
    [ -z "$nobody" ] || chown -R 65534:65534 "$D/hector-$1"
}
made elsewhere "not-$(uname -n)"
made locked "$(uname -n)"
made nothing
made stale "$(uname -n)"
$nobody ln -s "$D/hector-nothing" "$D/hector-link"
flock -F "$D/hector-locked/run.lock" sleep 1000 &
locker=$!
wait_for '! flock -n "$D/hector-locked/run.lock" true'
if [ "$(id -u)" = 0 ]; then
    made other "$(uname -n)"
    chown -R 65533 "$D/hector-other"
fi
run $nobody hector-run -v -n 1 true
is "$status" 0 'the next run'
ok '... removes what that one left' [ ! -e "$dead" ]
ok '... and what is like it' [ ! -e "$D/hector-stale" ]
like "$T/err" "^hector: what a run left that was killed is removed: $dead\$" \
    '... which it says with --verbose'
for what in elsewhere locked nothing link; do
    ok "... not another one: $what" [ -e "$D/hector-$what" ]
done
[ "$(id -u)" != 0 ] || ok '... nor that of another user' [ -e "$D/hector-other" ]
ok '... nor that of a run that lives' [ -S "$alive/master.sock" ]
kill $locker

# While the master still listens there it is not dead, whoever has started it is.
pid=$(pgrep -P "$alive_pid" hector-master)
kill -STOP "$pid"
kill -KILL "$alive_pid"
wait_for '! kill -0 $alive_pid 2>/dev/null'
run $nobody hector-run -n 1 true
ok 'nor where the master is left' [ -S "$alive/master.sock" ]
kill -CONT "$pid"
ok '... which removes it when it ends' wait_for '[ ! -e "$alive" ]'

# However many there are, one run removes a few.
rm -r "$D"/hector-elsewhere "$D"/hector-link "$D"/hector-other "$D/hector-nothing"
for i in $(seq 40); do made "many$i" "$(uname -n)"; done
run $nobody hector-run -n 1 true
n=$(find "$D" -maxdepth 1 -name 'hector-many*' | wc -l)
ok "not all of very many at once: $n of 40 are left" [ "$n" -gt 10 -a "$n" -lt 40 ]
run $nobody hector-run -n 1 true
run $nobody hector-run -n 1 true
is "$(left)" '' '... but in the end'
done_testing
