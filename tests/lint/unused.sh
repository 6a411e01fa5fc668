#!/bin/sh
# unused.sh - every function that a file shows to others is called by one of
# the programs, libraries and policies, and not by tests alone.
#
# By nm: what is defined for others. By name: who calls it, in the sources and
# in what is generated from tables. Left out is what has a part of its name from
# a table of macros (store_put_, of rows.h). Tests may have a few ways in of
# their own.
. "${0%/*}/../lib/lint.sh"

build=${HECTOR_BUILD:-build}

for_tests()     # NAME, why
{
    cat <<'END'
conn_adopt_fd    both ends of a pair of sockets
refused_reset    forgets what was said by the test before
lines_held       that no more than its bound is held
unwind_slowly    the other way, to compare
unwind_quick     how often the quick way was taken
symbols_destroy  a process keeps what it has until it ends
END
}

shown()         # the functions that are not static
{
    sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.c$' |
        sed "s|\(.*\)\.c\$|$build/obj/\1.o|" | while read -r object; do
            [ ! -e "$object" ] || echo "$object"
        done | tr '\n' '\0' | xargs -0 nm | awk 'NF == 3 && $2 == "T" { print $3 }' | sort -u
}

called()        # names that occur besides where they are defined
{
    {
        # shellcheck disable=SC2046 # one word a file
        cat $(sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.(c|awk)$') \
            "$build"/gen/*.inc
        # What stands in headers once is a declaration.
        sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.h$' |
            xargs cat | bare | tr -cs 'A-Za-z0-9_' '\n' | sort | uniq -d
    } | bare | tr -cs 'A-Za-z0-9_' '\n' | sort | uniq -d
}

bare()          # C without comments
{
    awk '{
        line = $0
        text = ""
        while (line != "")
            if (inside) {
                at = index(line, "*/")
                inside = !at
                line = at ? substr(line, at + 2) : ""
            } else {
                at = index(line, "/*")
                text = text (at ? substr(line, 1, at - 1) : line) " "
                inside = at > 0
                line = at ? substr(line, at + 2) : ""
            }
        print text
    }'
}

if ! [ -e "$build/obj/proto.a" ]; then
    skip 'every function is called by a program' 'not built'
    finish
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shown >"$work/shown"
{ called; echo main; for_tests | cut -d ' ' -f 1; } | sort -u >"$work/called"
clean 'functions are known' "$([ -s "$work/shown" ] || echo 'nm says nothing')"
clean 'every function is called by a program, not by tests alone' \
    "$(comm -23 "$work/shown" "$work/called" |
        grep -vE '^(MPI_|mpi_|hct_|HCT_|store_put_)')"
clean 'what tests alone may call is there' \
    "$(for_tests | cut -d ' ' -f 1 | sort | comm -23 - "$work/shown")"
finish
