# which.sh - the tests that a word names, for run.sh and steady.sh. Both run in the
# folder of the tests, and have $build.
# shellcheck shell=sh

in_check()      # the system tests of make check, which t/check.list names
{
    awk '!/^#/ && NF { print "t/" $1 ".t" }' t/check.list
}

# Words: lint, unit, t, fuzz: all of that kind; check, world: the system tests of that
# tier; a number: the system tests that begin with it; or a pattern below tests/, as
# lint/world/* or t/19*.
tests_named()   # WORD: one test a line; fails if there is none
{
    # shellcheck disable=SC2086,SC2154 # patterns are meant to match; $build
    case $1 in
    lint)   ls lint/*.sh ;;
    unit)   ls "$build"/unit/test_* ;;
    check)  in_check ;;
    world)  in_check >"$TAP_DIR/in_check"; printf '%s\n' t/*.t | grep -vxFf "$TAP_DIR/in_check" ;;
    t|fuzz) ls $1/*.t ;;
    unit/*) ls "$build"/$1* ;;
    [0-9]*) ls t/$1* ;;
    *)      ls $1* ;;
    esac 2>/dev/null | grep -v '\.d$'
}
