# What a task finds around it: environment, working directory, arguments.
. "${0%/*}/../lib/t.sh"

run hector-run -n 2 -l "$APPS/stream" env HECTOR_RANK HECTOR_NTASKS \
    OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK
is "$(grep '^1: ' "$T/out" | sed 's/1: //' | tr '\n' ' ')" "HECTOR_RANK=1 \
HECTOR_NTASKS=2 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 \
OMPI_COMM_WORLD_LOCAL_RANK=1 " 'who it is'
export COLOUR=green
run hector-run -n 1 -x TASTE='sweet and sour' -x COLOUR "$APPS/stream" env \
    COLOUR TASTE
is "$(out)" "$(printf 'COLOUR=green\nTASTE=sweet and sour')" '-x'
mkdir "$T/a folder"
run hector-run -n 1 --wdir "$T/a folder" "$APPS/stream" where
is "$(out)" "$T/a folder" '--wdir'
run hector-run -n 1 --wdir "$T/nowhere" true
ok '--wdir that is not there fails' [ "$status" -ne 0 ]
like "$T/err" '^hector: .*nowhere' '... in words'
run hector-run -n 1 printf '%s|' 'a b' '' "it's" '*' "$(printf 'x\ny')"
is "$(out)" "$(printf '%s|' 'a b' '' "it's" '*' "$(printf 'x\ny')")" \
    'arguments arrive as they are'
printf '#!/bin/sh\necho "$0 $HECTOR_RANK"\n' >"$T/a folder/my script"
chmod +x "$T/a folder/my script"
run hector-run -n 1 "$T/a folder/my script"
is "$(out)" "$T/a folder/my script 0" 'a program with blanks in its path'
cd "$T/a folder" || exit 1
run hector-run -n 1 "./my script"
is "$status" 0 'a relative path'
cd "$T" || exit 1
run hector-run -n 1 sh -c 'umask; ulimit -n'
is "$(out)" "$(umask; ulimit -n)" 'umask and limits are the caller'\''s'
run hector-run -n 2 sh -c 'ls -l /proc/self/fd | grep -c socket'
is "$(sort -u "$T/out")" 0 'no descriptor of ours leaks into a task'
run hector-run -n 1 sh -c 'kill -USR1 $$' 2>/dev/null
is "$status" 138 'signals have their default actions'
LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6
[ -e "$LD_PRELOAD" ] && {
    export LD_PRELOAD
    run hector-run -n 1 sh -c 'echo "$LD_PRELOAD"'
    unset LD_PRELOAD
    like "$T/out" 'libhector\.so[: ].*libm\.so\.6' "the user's LD_PRELOAD stays"
}
unset LD_PRELOAD
run hector-run -n 1 -x OMPI_MCA_btl=self,tcp "$APPS/stream" env OMPI_MCA_btl
is "$(out)" 'OMPI_MCA_btl=self,tcp' "the user's MCA settings win"

# The whole build under a path with blanks.
mkdir -p "$T/with blanks/my build"
cp -r "$build/bin" "$build/lib" "$T/with blanks/my build/"
run "$T/with blanks/my build/bin/hector-run" -n 2 --stdtim=- "$APPS/tagloop" 1
is "$status" 0 'Hector itself in a folder with blanks'
is "$(grep -c '^Task' "$T/out")" 4 '... wrappers too'
TMPDIR="$T/with blanks"
export TMPDIR
run hector-run -n 2 "$APPS/comms" "$T/with blanks"
is "$status" 0 'TMPDIR with blanks'
TMPDIR=$T/tmp
HECTOR_DB="$T/with blanks/my.db"
run hector-run -n 1 "$APPS/hello"
is "$(sql 'SELECT count(*) FROM jobs')" 1 'a database with blanks'
done_testing
