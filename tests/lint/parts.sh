#!/bin/sh
# parts.sh - what hangs on a job or a node belongs to one room, or one file.
#
# Most of it is opaque to others (struct x *, which the compiler guards). Where
# it lies inside, a struct of its own, this looks who names what is in it.
. "${0%/*}/../lib/lint.sh"

parts()         # MEMBER, PROGRAM whose files may meet it, WHO may look inside
{
    cat <<'EOF'
clock  master/                master/flow/
away   master/(peers|store)/   master/flow/
index  master/(state|flow)/   master/state/job.c
pmix   slave/jobs/            slave/jobs/node.c
record master/                master/store/
ending master/                master/(state/job|store/record)\.c
EOF
}

strangers()     # MEMBER PROGRAM OWNER
{
    sources "^$2.*\\.[ch]\$" | grep -vE "^$3" | xargs -r \
        grep -nE "(->|[a-z]\\.)$1\\.[a-z]|&[a-z]+(->|\\.)$1\\b" |
        sed 's/:\([0-9]*\):.*/:\1/'
}

clean 'parts of jobs and nodes are theirs alone who own them' \
    "$(parts | while read -r member program owner; do
        strangers "$member" "$program" "$owner" |
            sed "s|\$| looks into $member|"
    done)"
clean 'every such part is there' \
    "$(parts | while read -r member _ owner; do
        [ "$(sources "^$owner" | xargs -r cat |
            grep -cE "(->|[a-z]\\.)$member\\.[a-z]")" -gt 0 ] || echo "$member"
    done)"
finish
