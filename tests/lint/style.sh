#!/bin/sh
# style.sh - layout that a machine can see: widths, blanks, tabs, and things
# that should not be left in.
. "${0%/*}/../lib/lint.sh"

code='\.(c|h|sh|t|f|f90|awk|proto|map)$|^\.ci/run$'
all="$code|\.(mk|md|[1-8]|conf|service|socket)\$|^(Makefile|NEWS|LICENSE)\$"

each()          # FILES AWK-PROGRAM: its output for all the files
{
    # shellcheck disable=SC2046 # one word a file
    set -- "$2" $(sources "$1")
    [ $# -eq 1 ] || awk "$@"
}

clean 'no line of code is wider than 100 columns' \
    "$(each "$code" 'length($0) > 100 {
        print FILENAME ":" FNR ": " length($0) " columns" }')"
clean 'lines of code are within 80 columns but for a few' \
    "$(each '\.(c|h)$' '
        function out() {
            if (wide > 5 && wide * 50 > n)
                print name ": " wide " of " n " lines are wider than 80"
        }
        FNR == 1 { out(); name = FILENAME; n = wide = 0 }
        { n++ }
        length($0) > 80 { wide++ }
        END { out() }')"
clean 'no trailing blanks' \
    "$(each "$all" '/[ \t]$/ { print FILENAME ":" FNR ": trailing blank" }')"
clean 'no tabs in code' \
    "$(each "$code" '/\t/ { print FILENAME ":" FNR ": tab" }')"
clean 'each file ends with a newline' \
    "$(sources "$all" | while read -r f; do
        [ -z "$(tail -c 1 "$f")" ] || echo "$f: no newline at the end"
    done)"
clean 'nothing is left to be done' \
    "$(each "$code" '/(^|[^A-Z])(TODO|FIXME|XXX)([^A-Z]|$)/ && FILENAME !~ /lint\// {
        print FILENAME ":" FNR ": " $0 }')"
clean 'the function that decides logs: low levels do not print' \
    "$(each '^proto/.*\.c$' '/[^a-z_]f?printf\(/ && !/snprintf|vsnprintf/ &&
        FILENAME !~ /base\/(args|log|str)\.c|conf\.c/ {
            print FILENAME ":" FNR ": prints" }')"
finish
