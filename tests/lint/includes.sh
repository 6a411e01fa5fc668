#!/bin/sh
# includes.sh - who may include whom: the rooms of the house.
#
# A room is a folder. Its files may include those of the room itself, of the
# rooms of the same program above it in the list, of proto, and what is named
# behind it: rooms, generated files, and the headers that programs share (the
# page and the numbers of calls of mpi-wrappers, hct_policy.h of policies). The
# wrapper library and the policies, which live in other people's processes,
# include nothing of ours. Each room says in its README what it is for.
. "${0%/*}/../lib/lint.sh"

rooms()
{
    cat <<'END'
proto/base
proto/link           hct.pb-c.h messages.inc
proto/model          hct.pb-c.h hct_policy.h
proto/plan           hct_policy.h hct_optimizer.h
proto/tree           hct.pb-c.h
proto/conf           hct.pb-c.h

mpi-wrappers
mpi-wrappers/table   call_ids.h call_names.inc
mpi-wrappers/handles
mpi-wrappers/record  wrap_c.inc wrap_f.inc
mpi-wrappers/inject  call_kinds.inc inject_c.inc inject_f.inc
mpi-wrappers/image
mpi-wrappers/restore
mpi-wrappers/shell
mpi-wrappers/inside  layer_predefined.inc
mpi-wrappers/stop
mpi-wrappers/layer   layer_c.inc layer_foreign.inc
mpi-wrappers/swap
mpi-wrappers/yield

policies             hct_policy.h
policies/lib
policies/null
policies/deadline
policies/stay
policies/balance
policies/deadlock
policies/hang
policies/smm
policies/outlier
policies/progress
policies/pace
policies/slow

redirector/link
redirector/out       hct.pb-c.h
redirector/in
redirector/batch
redirector/options   call_kinds.inc
redirector/start
redirector/frontend
redirector

slave/proc           page.h hct_policy.h
slave/groups
slave/link           cpu.h
slave/launch         hct.pb-c.h cpu.h tunable.h
slave/symbols
slave/vault          page.h
slave/pmix           hct.pb-c.h
slave/streams        hct.pb-c.h
slave/page           hct.pb-c.h page.h calls.h
slave/effort         hct.pb-c.h
slave/stacks         hct.pb-c.h page.h
slave/tree
slave/jobs           hct.pb-c.h page.h calls.h hct_policy.h
slave/yield          hct.pb-c.h
slave/gather         policies/smm policies/progress hct_policy.h calls.h
slave/move           hct.pb-c.h page.h
slave/owner          hct.pb-c.h
slave/guard
slave/keep           hct.pb-c.h
slave/slice          slice_args.inc
slave
slave/emulate/trial  policies/lib policies/smm hct_policy.h
slave/emulate/plan   hct_optimizer.h
slave/emulate        slave/link slave/page slave/tree slave/gather calls.h hct_policy.h
slave/emulate        hct_optimizer.h
slave/emulate        policies/lib policies/smm policies/outlier policies/progress

master/state         hct.pb-c.h cpu.h
master/store         calls.h cpu.h
master/tree
master/watch         hct.pb-c.h calls.h hct_policy.h
master/judge         hct_policy.h
master/move          hct.pb-c.h cpu.h
master/places        hct.pb-c.h hct_policy.h
master/act           hct.pb-c.h hct_policy.h
master/ladder        hct.pb-c.h hct_policy.h
master/optimize      hct.pb-c.h hct_optimizer.h
master/findings      hct.pb-c.h hct_policy.h
master/flow          hct.pb-c.h calls.h cpu.h
master/peers
master
master/hector/core   master/store
master/hector/stack  master/store hct.pb-c.h stack_page.inc
master/hector/model  master/store hct.pb-c.h calls.h
master/hector/behind master/store hct.pb-c.h
master/hector/diff   master/store master/watch hct.pb-c.h calls.h
master/hector/plan   master/store master/optimize master/ladder hct.pb-c.h
master/hector/why    master/store master/watch hct_policy.h
master/hector/page   master/store
master/hector        master/store master/watch
END
}

includes()      # FILE HEADER, for each quoted include of what is built
{
    # shellcheck disable=SC2046 # one word a file
    grep -HoE '^ *# *include *"[^"]*"' \
        $(sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.[ch]$') |
        sed 's/:.*"\(.*\)"/ \1/'
}

against()       # FILE HEADER, for each include that no room allows
{
    includes | awk '
        function folder(path) { sub(/\/?[^\/]*$/, "", path); return path }
        function program(room) {
            match(room, /^(master\/hector|slave\/emulate|[^\/]*)/)
            return substr(room, 1, RLENGTH)
        }
        function below(room, from) {
            return program(from) == program(room) && from in floor &&
                floor[from] <= floor[room]
        }
        NR == FNR {
            if (NF)
                floor[$1] = FNR
            for (i = 2; i <= NF; i++)
                more[$1, $i]
            next
        }
        {
            room = folder($1)
            from = folder($2)
            header = substr($2, length(from) + (from != "") + 1)
            if ((room, from) in more || below(room, from))
                next
            if (from ~ /^(mpi-wrappers(\/table)?|policies|)$/ && (room, header) in more)
                next
            if (program(from) != "proto" || program(room) ~ /^(mpi-wrappers|policies|proto)$/)
                print
        }' "$work" -
}

# FILES LIBRARY ALLOWED: system includes that only some files may have.
only()
{
    sources "$1" | tr '\n' '\0' | xargs -0 grep -HnE "^ *# *include *<$2" |
        sed 's|:[^:<]*<\(.*\)>.*|: includes \1|' | grep -vE "^($3):"
}

work=$(mktemp)
trap 'rm -f "$work"' EXIT
rooms >"$work"
clean 'each room includes itself, rooms above it, and what it is allowed' \
    "$(against | sort -u)"
clean 'every folder with sources is a room' \
    "$(sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.[ch]$' |
        sed 's|/[^/]*$||' | sort -u | grep -vxF "$(rooms | cut -d ' ' -f 1)")"
clean 'each room says in three lines what it is for' \
    "$(rooms | grep . | while read -r room _; do
        [ "$(wc -l <"$room/README")" -le 3 ] || echo "$room/README"
    done 2>&1)"
clean 'no room has more files than a person can keep in mind' \
    "$(sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.c$' |
        sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 16 { print $2 ": " $1 }')"
clean 'only slave/pmix/, and a double of it, include PMIx' \
    "$(only '\.[ch]$' pmix 'slave/pmix/pmix(_[a-z]+)?\.[ch]|tests/lib/pmix_stuck\.c')"
clean 'only master/store/store*.[ch] include SQLite' \
    "$(only '^(proto|master|slave|redirector)/.*\.[ch]$' sqlite3 \
            'master/store/store(_[a-z]+)?\.[ch]')"
clean 'all SQL is in master/store/' \
    "$(sources '^(proto|master|slave|redirector)/.*\.[ch]$' |
        grep -v '^master/store/' | tr '\n' '\0' | xargs -0 grep -HnE \
            '"[^"]*(SELECT|INSERT INTO|DELETE FROM|UPDATE [a-z]+ SET) ')"
clean 'no monitoring library in the wrappers and policies' \
    "$(only '^(mpi-wrappers|policies)/.*\.[ch]$' \
            '(event2|protobuf|sodium|jansson)' -)"
clean 'proto/base needs nothing but libc' \
    "$(only '^proto/base/.*\.[ch]$' '(protobuf|sodium|jansson|ini)' -)"
finish
