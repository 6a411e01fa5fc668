#!/bin/sh
# tiers.sh - each system test is in exactly one tier, make check or make check-world, and
# is in the first for a reason; no two have one number.
. "${0%/*}/../lib/lint.sh"

cd tests || exit 1
TAP_DIR=$(mktemp -d)
trap 'rm -rf "$TAP_DIR"' EXIT
. lib/which.sh
clean 'check.list names tests that are there, with a reason' \
    "$(awk '!/^#/ && NF < 2 { print $1 ": no reason" }' t/check.list
    tests_named check | while read -r test; do
        [ -e "$test" ] || echo "$test: no such test"
    done)"
clean 'each system test is in exactly one tier' \
    "$({ tests_named check; tests_named world; printf '%s\n' t/*.t; } | sort | uniq -c |
        awk '$1 != 2 { print $2 ": is in " $1 - 1 " tiers" }')"
clean 'no two have one number' \
    "$(printf '%s\n' t/*.t | sed 's|t/\([0-9]*\)-.*|\1|' | sort | uniq -d)"
finish
