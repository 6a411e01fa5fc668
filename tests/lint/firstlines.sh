#!/bin/sh
# firstlines.sh - each source file says in its first lines what it is for:
# its own name, a dash, a sentence.
. "${0%/*}/../lib/lint.sh"

listed()        # EXTENDED-REGEXP AWK-PROGRAM: what it prints for these files
{
    sources "$1" | tr '\n' '\0' | xargs -0 -r awk "$2"
}

clean 'first lines say what the file is for' \
    "$(listed '\.(c|h|sh|f|f90|awk|mk|proto|def|t)$|^\.ci/run$|^Makefile$' '
        function out() {
            if (name != "" && !well)
                print name ": its first lines do not say \47" base \
                    " - what it is for\47"
        }
        FNR == 1 { out(); name = FILENAME; base = name; sub(/.*\//, "", base); well = 0 }
        FNR > 6 { nextfile }
        base ~ /\.t$/ { well = well || /^# [A-Za-z0-9].........../; next }
        base == "Makefile" { well = well || /^# Hector/; next }
        { well = well || index($0, base " - ") }
        END { out() }')"

# hct_rtf.h is Fortran's.
clean 'each header is guarded once' \
    "$(sources '\.h$' | grep -v '/hct_rtf\.h$' | tr '\n' '\0' |
        xargs -0 -r grep -LE '^#ifndef [A-Z0-9_]+_H$' | sed 's/$/: no #ifndef NAME_H/')"
finish
