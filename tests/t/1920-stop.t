# Jobs are brought to stand at any moment, fifty times each, by the master's own
# function, while the tasks are far from each other: then nothing is under way, and
# the output is the same as without.
# limit: 80
# shellcheck disable=SC2016 # for another shell
. "${0%/*}/../lib/t.sh"
need_moves
need mpicc

ln -s "$build/lib/hector" "$T/layer"    # LD_PRELOAD takes no blank
export LAYER="$T/layer/libmpi.so.40"
with=$T/with            # PROGRAM...: with it, behind what is preloaded already
printf '#!/bin/sh
LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$LAYER" exec "$@"\n' >"$with"
chmod +x "$with"

stopped()       # TASKS STOPS MIN_MS MAX_MS SEED PROGRAM...
{
    n=$1 stops=$2 min=$3 max=$4 seed=$5
    shift 5
    rm -f "$T/enough"
    hector-run -n "$n" --oversubscribe --policy none "$with" "$@" "$T/enough" \
        >"$T/stopped" 2>"$T/err" </dev/null &
    job=$!
    "$APPS/stopper" "$n" "$stops" "$min" "$max" "$seed" "$T/enough" \
        >"$T/stops" 2>&1
    is "$?" 0 "${1##*/}, $n tasks: the job is stopped"
    sed 's/^/# /' "$T/stops"
    : >"$T/enough"
    wait "$job"
    is "$?" 0 '... and ends well'
    like "$T/stops" "^$stops stops: " '... as often as it was asked'
    rounds=$(sed -n 's/.* rounds \([0-9]*\) .*/\1/p' "$T/stopped" | sort -u)
    run hector-run -n "$n" --oversubscribe --policy none "$@" "$rounds"
    is "$status $(sort "$T/out")" "0 $(sort "$T/stopped")" \
        "... and says the same as without a stop"
}

stopped 4 50 1 60 1 "$APPS/skew"
stopped 5 20 1 60 2 "$APPS/skew"
stopped 4 50 1 60 3 "$APPS/parley"
stopped 2 20 1 60 4 "$APPS/parley"
stopped 4 20 1 60 5 "$APPS/owe"
done_testing
