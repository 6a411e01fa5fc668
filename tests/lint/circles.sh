#!/bin/sh
# circles.sh - no circle of calls: who reads a file need not read more than
# three others to know what it does, and rooms call only what is below them.
#
# By nm: a file calls another one of its program when it names a symbol that
# this one defines. Files that can all reach each other are a circle; so are
# rooms whose files do. Calls by tables of operations are none: that is how
# what is below tells what is above.
. "${0%/*}/../lib/lint.sh"

build=${HECTOR_BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

calls()         # FILE FILE SYMBOL, of files of one program
{
    sources '^(proto|master|slave|redirector|mpi-wrappers|policies)/.*\.c$' |
        sed "s|\(.*\)\.c\$|$build/obj/\1.o|" | while read -r object; do
            [ ! -e "$object" ] || echo "$object"
        done | tr '\n' '\0' | xargs -0 nm -A | sed "s|^$build/obj/||; s|\.o:| |" | awk '
            function program(file) {
                match(file, /^(master\/hector|slave\/emulate|[^\/]*)/)
                return substr(file, 1, RLENGTH)
            }
            $(NF - 1) ~ /^[TDBRCVW]$/ { owner[program($1), $NF] = $1 }
            $(NF - 1) == "U" { n++; from[n] = $1; symbol[n] = $NF }
            END {
                for (i = 1; i <= n; i++)
                    if ((program(from[i]), symbol[i]) in owner)
                        print from[i], owner[program(from[i]), symbol[i]], symbol[i]
            }' | sort
}

# LEAST: of a graph (FROM TO ...) the members of each circle of more than LEAST,
# each with a shortest way around from there.
circles()
{
    awk -v least="$1" '
        function search(start,    head, tail, at, k, to) {
            split("", back)
            queue[tail = 1] = start
            for (head = 1; head <= tail; head++) {
                at = queue[head]
                for (k = 1; k <= degree[at]; k++) {
                    to = next_of[at, k]
                    if (to in back)
                        continue
                    back[to] = at
                    reaches[start, to] = 1
                    queue[++tail] = to
                }
            }
        }
        function way(start,    at, text) {
            text = start
            for (at = back[start]; at != start; at = back[at])
                text = at " -> " text
            return start " -> " text
        }
        $1 != $2 && !(($1, $2) in edge) {
            edge[$1, $2] = 1
            next_of[$1, ++degree[$1]] = $2
            node[$1]; node[$2]
        }
        END {
            for (a in node) {
                search(a)
                if (a in back)
                    around[a] = way(a)
            }
            for (a in node) {
                size = 0
                for (b in node)
                    size += (a, b) in reaches && (b, a) in reaches
                if (size > least)
                    print a ": of " size ": " around[a]
            }
        }'
}

if ! [ -e "$build/obj/proto.a" ]; then
    skip 'no circle of calls' 'not built'
    finish
fi
calls >"$work/calls"
clean 'calls are known' "$([ -s "$work/calls" ] || echo 'nm says nothing')"
clean 'no circle of more than four files' \
    "$(circles 4 <"$work/calls" | sort)"
clean 'no circle of rooms' \
    "$(awk '{ sub(/\/[^\/]*$/, "", $1); sub(/\/[^\/]*$/, "", $2); print }' \
        "$work/calls" | circles 1 | sort)"
finish
