#!/bin/sh
# layer.sh - what our libmpi.so.40 before an Open MPI in a namespace costs a call,
# and a program of a few: each beside the same without it, neither with Hector's
# recording. Medians of several pairs, and the difference and ratio of these.
#
#   layer Send+Recv            144.0 ns, with 148.2 ns: +4.2, 1.029
#   layer stencil:512          0.253 s, with 0.255 s: 1.008
#
# and what LAMMPS and HPL take under --migratable, as slowdown.sh has it.
#
# usage: layer.sh BUILD [PAIRS]
set -eu
build=$1 pairs=${2:-5}
layer=$build/lib/hector/libmpi.so.40
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db"

job()           # with|without PROGRAM...
{
    how=$1
    shift
    [ "$how" = without ] || set -- env LD_PRELOAD="$layer" "$@"
    [ "$how" = with ] || set -- env -u LD_PRELOAD "$@"
    "$build/bin/hector-run" -q --policy none -n 1 "$@" 2>"$dir/err" ||
        { cat "$dir/err" >&2; exit 1; }
}

for i in $(seq "$pairs"); do
    for how in with without; do
        job "$how" "$build/bench/bench_layer" | sed "s/^/$how /"
        for kernel in stencil:512 transpose:256 cg:5000; do
            KERNEL_ROUNDS=500 job "$how" "$build/apps/${kernel%:*}" \
                "${kernel#*:}" >/dev/null
            sed -n "s/^${kernel%:*}: *[0-9.]* \([0-9.]*\)\$/$how $kernel \1/p" \
                "$dir/err"
        done
    done
done >"$dir/all"
sort -k2,2 -k1,1 -k3,3n "$dir/all" | awk '
    { all[$1, $2] = all[$1, $2] " " $3 }
    !($2 in known) { known[$2] = 1; name[++names] = $2 }
    function median(list,    v, n) {        # of sorted ones
        n = split(list, v, " ")
        return v[int((n + 1) / 2)]
    }
    END {
        for (i = 1; i <= names; i++) {
            a = median(all["without", name[i]])
            b = median(all["with", name[i]])
            if (name[i] ~ /:/)
                printf "layer %-20s %.3f s, with %.3f s: %.3f\n", \
                    name[i], a, b, b / a
            else
                printf "layer %-20s %.1f ns, with %.1f ns: %+.1f, %.3f\n", \
                    name[i], a, b, b - a, b / a
        }
    }'
SLOWDOWN_OF=layer sh "${0%/*}/slowdown.sh" "$build" "$pairs" lammps hpl
