#!/bin/sh
# firstlines.sh - each source file says in its first lines what it is for:
# its own name, a dash, a sentence.
. "${0%/*}/../lib/lint.sh"

clean 'first lines say what the file is for' \
    "$(sources '\.(c|h|sh|f|f90|awk|mk|proto|def|t)$|^\.ci/run$|^Makefile$' |
        while read -r f; do
            name=${f##*/}
            case $f in
            *.t) head -n 6 "$f" | grep -qE "^# [A-Za-z0-9].{10,}" && continue ;;
            Makefile) head -n 3 "$f" | grep -q '^# Hector' && continue ;;
            *) head -n 6 "$f" | grep -qF -e "$name - " && continue ;;
            esac
            echo "$f: its first lines do not say '$name - what it is for'"
        done)"

# hct_rtf.h is Fortran's.
clean 'each header is guarded once' \
    "$(sources '\.h$' | grep -v '/hct_rtf\.h$' | while read -r f; do
        [ "$(grep -cE '^#ifndef [A-Z0-9_]+_H$' "$f")" -ge 1 ] ||
            echo "$f: no #ifndef NAME_H"
    done)"
finish
