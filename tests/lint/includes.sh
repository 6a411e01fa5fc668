#!/bin/sh
# includes.sh - who may include whom.
#
#   proto/base <- proto <- master, slave, redirector
#   mpi-wrappers/page.h <- slave; mpi-wrappers/table/calls.h <- slave, master
#   policies/hct_policy.h <- master, slave (numbers that travel)
#
# Folders never include each other otherwise; the wrapper library and the
# policies, which live in other people's processes, include nothing of ours.
. "${0%/*}/../lib/lint.sh"

# FOLDER ALLOWED: findings among the quoted includes of a folder's files.
# Names without a slash are generated files.
ours()
{
    sources "^$1/.*\.[ch]\$" | while read -r f; do
        grep -nE '^ *# *include *"' "$f" |
            sed "s|^\([0-9]*\):.*\"\(.*\)\".*|$f:\1: includes \2|"
    done | grep -vE " includes ($2)\$"
}

# FILES LIBRARY ALLOWED: system includes that only some files may have.
only()
{
    sources "$1" | while read -r f; do
        grep -nE "^ *# *include *<$2" "$f" |
            sed "s|^\([0-9]*\):.*<\(.*\)>.*|$f:\1: includes \2|"
    done | grep -vE "^($3):"
}

clean 'proto includes only proto' \
    "$(ours proto 'proto/[a-z0-9_/]*\.h|hct\.pb-c\.h')"
clean 'proto/base includes only itself' \
    "$(ours proto/base 'proto/base/[a-z0-9_]*\.h')"
clean 'master includes only proto, calls.h and policies/hct_policy.h' \
    "$(ours master '(proto|master)/[a-z0-9_/]*\.h|policies/hct_policy\.h|'\
'mpi-wrappers/table/calls\.h|hct\.pb-c\.h|stack_page\.inc')"
clean 'slave includes only proto, page.h, calls.h and hct_policy.h' \
    "$(ours slave \
        '(proto|slave)/[a-z0-9_/]*\.h|mpi-wrappers/(page|table/calls)\.h|'\
'policies/hct_policy\.h|hct\.pb-c\.h')"
clean 'redirector includes only proto, and the names of calls' \
    "$(ours redirector '(proto|redirector)/[a-z0-9_/]*\.h|hct\.pb-c\.h|'\
'call_kinds\.inc')"
clean 'mpi-wrappers includes only itself' \
    "$(ours mpi-wrappers 'mpi-wrappers/[a-z0-9_/]*\.h|[a-z0-9_]+\.(inc|h)')"
clean 'policies include only hct_policy.h' \
    "$(ours policies 'policies/[a-z0-9_/]*\.h')"
clean 'only slave/pmix/pmix*.[ch], and a double of it, include PMIx' \
    "$(only '\.[ch]$' pmix 'slave/pmix/pmix(_[a-z]+)?\.[ch]|tests/lib/pmix_stuck\.c')"
clean 'only master/store/store*.[ch] include SQLite' \
    "$(only '^(proto|master|slave|redirector)/.*\.[ch]$' sqlite3 \
            'master/store/store(_[a-z]+)?\.[ch]')"
clean 'no monitoring library in the wrappers and policies' \
    "$(only '^(mpi-wrappers|policies)/.*\.[ch]$' \
            '(event2|protobuf|sodium|jansson)' -)"
clean 'proto/base needs nothing but libc' \
    "$(only '^proto/base/.*\.[ch]$' '(protobuf|sodium|jansson|ini)' -)"
finish
