# Wrong usage: exit status 2, one sentence, nothing started, nothing recorded.
. "${0%/*}/../lib/t.sh"

wrong()         # WORD...
{
    run hector-run "$@"
    is "$status" 2 "hector-run $*: status 2"
    like "$T/err" '^hector: ' '... and a sentence'
}
wrong
wrong -n 2
wrong -n 0 true
wrong -n -1 true
wrong -n x true
wrong -n
wrong --no-such-option true
wrong --map-by nowhere -n 1 true
wrong --stdin 5 -n 2 true
wrong --stdin some -n 2 true
wrong --on-hang dance true
wrong --timeout soon true
wrong --hostfile "$T/none" true
wrong -n 1 true :
wrong -H '' -n 1 true
wrong -H 'n[1-' -n 1 true
ok 'nothing was recorded' [ ! -e "$HECTOR_DB" ]

run hector-run --hepl
like "$T/err" 'help' 'a near miss is named'
run hector-run --help
is "$status" 0 '--help'
like "$T/out" 'launch-agent' '... goes to stdout'
is "$(awk 'length($0) > 80' "$T/out" | wc -l)" 0 '... within 80 columns'
for p in hector-run hector hector-master hector-slave; do
    run $p -V
    is "$status" 0 "$p -V"
    like "$T/out" "^$p [0-9]" '... says which'
    run $p --no-such-option
    is "$status" 2 "$p --no-such-option: status 2"
done

for words in '' 'stack' 'why' 'migrate 1' 'ps x' 'ps 1.' 'events' 'events 1 2' \
    'sql' 'nodes 1' 'kill' 'kill x' 'kill --signal NOPE 1' 'nodes -n 3' \
    'sql -a x' 'ps -n 0'; do
    # shellcheck disable=SC2086 # these are words
    run hector $words
    is "$status" 2 "hector $words: status 2"
    like "$T/err" '^hector: ' '... and a sentence'
done
run hector ps
is "$status" 1 'no database yet: status 1'
like "$T/err" "^hector: .*$HECTOR_DB" '... in words'
ok '... and none was made' [ ! -e "$HECTOR_DB" ]

# A database that cannot be written does not keep a job from running.
mkdir "$T/db.dir"
run hector-run --db "$T/db.dir" -n 1 "$APPS/hello"
is "$status" 0 'a run without a database'
like "$T/err" '^hector: .*db\.dir.*record' '... says that its record is lost'
echo 'this is no database, and long enough to be taken for one' >"$T/text"
run hector-run --db "$T/text" -n 1 "$APPS/hello"
is "$status" 0 'a run with a file that is no database'
like "$T/err" '^hector: .*text' '... says so'
like "$T/text" '^this is no database' '... and leaves it alone'
done_testing
