#!/bin/sh
# manpages.sh - manual pages are well formed, and each program, daemon and
# file format has one.
. "${0%/*}/../lib/lint.sh"

pages=$(sources '\.[1-8]$')
if command -v mandoc >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # one word a page
    clean 'mandoc finds nothing' "$(mandoc -Tlint -W warning $pages 2>&1)"
else
    skip 'mandoc finds nothing' 'no mandoc here'
fi

clean 'everything has a manual page' \
    "$(for page in hector-run.1 hector.1 HCT_RT_Tag.3 hector.conf.5 \
        hector-proto.7 hector-inject.7 hector-policy.7 hector-master.8 hector-slave.8 \
        hector-emulate.8; do
        printf '%s\n' "$pages" | grep -q "/$page\$" || echo "$page is missing"
    done)"

clean 'pages refer to pages that are there' \
    "$(sources '\.[1-8]$' | while read -r f; do
        sed -n 's/^\.Xr \(hector[^ ]*\|HCT_[^ ]*\) \([1-8]\).*/\1.\2/p' "$f" |
            while read -r page; do
                printf '%s\n' "$pages" | grep -q "/$page\$" ||
                    echo "$f: refers to $page, which is missing"
            done
    done)"
finish
