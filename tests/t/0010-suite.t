# The suite itself: a test that hangs, crashes, says nothing, says less than it has planned
# or leaves a process is red, in both tiers; one that passes when it runs again, alone, is
# green and is named. A test has nothing of the make that runs it.
# limit: 60
. "${0%/*}/../lib/t.sh"

mkdir -p tests/t build/unit
cp -r "$top/tests/lib" tests/
case_of()       # NAME: a test, of its text on stdin
{
    { echo "# $1"; echo '# limit: 1'; cat; } >"tests/t/$1.t"
}
case_of 0001-good <<'END'
echo 'ok 1 - it is well'; echo 1..1
END
case_of 0002-hangs <<'END'
echo 'ok 1 - so far'; exec sleep 1000
END
case_of 0003-crashes <<'END'
echo 'ok 1 - so far'; kill -SEGV $$
END
case_of 0004-silent </dev/null
case_of 0005-fewer <<'END'
echo 'ok 1 - it is well'; echo 1..2
END
case_of 0006-leaves <<'END'
. "${0%/*}/../lib/t.sh"
sleep 1000 &
pass 'it is well'
done_testing
END
case_of 0007-fails <<'END'
echo 'not ok 1 - it is wrong'; echo 1..1
END
case_of 0008-unsteady <<'END'
if [ -e "$TAP_DIR/second" ]; then echo 'ok 1 - the moon is full'; echo 1..1; exit; fi
: >"$TAP_DIR/second"; echo 'not ok 1 - the moon is full'; echo 1..1; exit 1
END
case_of 0009-apart <<'END'
if [ -e /proc/$$/fd/3 ] || [ "${MAKEFLAGS-none}" != none ]; then printf 'not '; fi
echo 'ok 1 - nothing of the make that runs it is here'; echo 1..1
END
sed -n 's/^case_of \([^ ]*\) .*/\1  a reason/p' "$t_self" >both.list

suite()         # NAME WORDS: output in NAME.out, status in NAME.status
{
    # shellcheck disable=SC2086 # words
    TAP_DIR=$T/tap-$1 TEST_JOBS=6 MAKEFLAGS=k sh tests/lib/run.sh build $2 \
        >"$1.out" 2>&1 3</dev/null
    echo $? >"$1.status"
}
for tier in check world; do
    : >tests/t/check.list
    [ $tier = world ] || cp both.list tests/t/check.list
    suite $tier $tier
    is "$(cat $tier.status)" 1 "$tier is red"
    is "$(tail -n 1 $tier.out)" '9 passed, 6 failed' '... and counts all'
    for bad in 'hangs.t took longer than 5 seconds' 'crashes.t ended with status' \
        'silent.t did not say how many' 'fewer.t has 2 tests by its own words, and 1' \
        'no process is left behind' 'it is wrong'; do
        is "$(cat tap-$tier/*.tap | grep -c "^not ok .*$bad")" 1 "... $bad"
    done
    is "$(cat tap-$tier/unsteady)" 'unsteady: t/0008-unsteady.t: the moon is full' \
        '... and what passed when it ran again is unsteady'
    is "$(tail -n 2 $tier.out | head -n 1)" "$(cat tap-$tier/unsteady)" \
        '... which the last lines say'
done

printf '%s  a reason\n' 0001-good 0008-unsteady >tests/t/check.list
suite steady check
is "$(cat steady.status) $(tail -n 1 steady.out)" '0 2 passed, 0 failed' \
    'what is unsteady does not make it red'

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    cp tests/t/0007-fails.t "tests/t/00$((10 + i))-fails.t"
    echo "00$((10 + i))-fails  a reason"
done >tests/t/check.list
suite many check
is "$(cat many.status) $(grep -c 'once more, alone' many.out)" '1 0' \
    'where many fail none is run again'
like many.out '^0 passed, 13 failed$' '... and all are counted'

printf '%s  a reason\n' 0001-good >tests/t/check.list
suite none 'check 9'
is "$(cat none.status) $(tail -n 1 none.out)" '1 1 passed, 1 failed' \
    'a word that names no test is red'
like none.out '^not ok - there is no test called 9$' '... and is said'

TEST_JOBS=4 sh tests/lib/steady.sh build 3 1 't/0001*' 't/0007*' >steady.out 2>&1
like steady.out '^t/0007-fails.t failed 3 of 3 times:$' 'make steady says how often a test failed'
like steady.out '^2 tests, 3 runs each, 1 burners, .*: 1 unsteady$' '... and of how many'
status=0
sh tests/lib/steady.sh build 3 1 9 >steady.out 2>&1 || status=$?
is "$status $(cat steady.out)" '2 there is no test called 9' '... and of nothing at all'
done_testing
