# hector why --slice of a program whose file is not what was loaded any more: one
# that is overwritten in place, replaced, or removed. The kernel lets nobody write to
# a program that runs, unless a loader was started with it as an argument; other
# hosts of a file server it cannot stop.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc readelf

source=$top/tests/eval/slices/halo.c
mpicc -O2 -g -DFAULT=7 -Wl,--build-id -o "$T/ring" "$source"
mpicc -O2 -g -DFAULT=6 -Wl,--build-id -o "$T/other" "$source"
mpicc -O2 -g -DFAULT=7 -Wl,--build-id=none -o "$T/nameless" "$source"
mpicc -O2 -g -DFAULT=6 -Wl,--build-id=none -o "$T/other2" "$source"
loader=$(readelf -l "$T/ring" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
ok 'there is a loader' [ -x "$loader" ]

job=0
begin()         # COMMAND...: job $job hangs
{
    job=$((job + 1))
    hector-run -n 4 --oversubscribe "$@" >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
    wait_for "[ -e \"\$HECTOR_DB\" ] &&
        [ -n \"\$(sql 'SELECT 1 FROM verdicts WHERE job = $job' 2>/dev/null)\" ]"
}
end()
{
    hector kill $job >/dev/null
    wait $runner
    wait_for "[ \"\$(sql 'SELECT ended_ns IS NULL FROM jobs WHERE job = $job')\" = 0 ]"
}
no_slice()      # DESCRIPTION SENTENCE
{
    run hector why $job --slice 0
    is "$status" 1 "$1"
    like "$T/err" "task 0: no slice: .*$2" '... is said'
    ok '... in one line' [ "$(wc -l <"$T/err")" = 1 ]
}

# --------------------------------------------------------------------- in place
cp "$T/ring" "$T/prog"
begin "$loader" "$T/prog"
run hector why $job --slice 0
is "$status" 0 'a program that a loader was given'
like "$T/out" 'halo\.c:' '... has a slice'
dd if="$T/other" of="$T/prog" conv=notrunc 2>/dev/null
no_slice 'a program that was overwritten in place' \
    'prog is not what was loaded: it was overwritten, or replaced, after that'
cp "$T/ring" "$T/again"
dd if="$T/again" of="$T/prog" conv=notrunc 2>/dev/null
run hector why $job --slice 0
is "$status" 0 'what was loaded is there again: that is a slice'

# --------------------------------------------------------------------- replaced
cp "$T/other" "$T/new"
mv "$T/new" "$T/prog"
# As it is seen first: by the map of the process, or by the file.
no_slice 'a program that was replaced, and that /proc does not have' \
    'prog.*(was replaced or removed since the task|is not what was loaded: .*or replaced)'

# ---------------------------------------------------------------------- removed
rm "$T/prog"
no_slice 'a program that was removed, and that /proc does not have' \
    'prog.* was replaced or removed since the task was started, and cannot be read any more'
end

# --------------------------------------------------------------- no build id at all
cp "$T/nameless" "$T/prog"
begin "$loader" "$T/prog"
run hector why $job --slice 0
is "$status" 0 'a program without a build id'
like "$T/out" 'halo\.c:' '... has a slice'
dd if="$T/other2" of="$T/prog" conv=notrunc 2>/dev/null
no_slice '... as long as it is not written to' \
    'prog was written to since the task was started, and has no build id'
end

# -------------------------------------------------- without MPI: what is in memory
cat >"$T/waits.c" <<'END'
#include <unistd.h>
int main(void)
{
    int n = 1;
    while (n)
        pause();
    return 0;
}
END
mpicc -O0 -g -Wl,--build-id -o "$T/waits" "$T/waits.c"
mpicc -O1 -g -Wl,--build-id -o "$T/other3" "$T/waits.c"
cp "$T/waits" "$T/prog"
job=$((job + 1))
hector-run -n 1 "$T/prog" >"$T/run.out" 2>"$T/run.err" </dev/null &
runner=$!
wait_for "hector why $job --slice 0 2>/dev/null | grep -q 'is here, in pause'"
cp "$T/other3" "$T/new"
mv "$T/new" "$T/prog"
run hector why $job --slice 0
is "$status" 0 'a program that was replaced, and that /proc has'
like "$T/out" 'built anew, or removed, since it was started' '... is said'
end
done_testing
