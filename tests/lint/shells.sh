#!/bin/sh
# shells.sh - every shell script is to the liking of shellcheck(1).
. "${0%/*}/../lib/lint.sh"

if ! command -v shellcheck >/dev/null 2>&1; then
    skip 'shellcheck finds nothing' 'no shellcheck here'
    finish
fi
# Left out: 1091, sourced files are checked by themselves; 2034, variables for
# them; 2154, variables of them; 2016, conditions in quotes are for wait_for;
# 1003 and 3045, quotes that end in a backslash and ulimit -n are meant.
# shellcheck disable=SC2046 # one word a file
clean 'shellcheck finds nothing' \
    "$(shellcheck -s sh -f gcc -e SC1091,SC1003,SC2034,SC2016,SC2154,SC3045 \
        $(sources '\.(sh|t)$') 2>&1
       shellcheck -f gcc .ci/run)"
finish
