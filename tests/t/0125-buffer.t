# What tasks have printed is there when they die: stdout goes line by line.
. "${0%/*}/../lib/t.sh"

stream=$APPS/stream
lines=$(printf 'first\nsecond line')

run hector-run -n 1 "$stream" dies
is "$status:$(out)" "3:$lines" 'whole lines of a program that dies are seen'
run hector-run -n 1 "$stream" dies block
is "$(out)" '' '... unless it has set a buffer itself'
run hector-run -n 1 "$stream" dies none
is "$(out)" "$(printf '%s\nhalf' "$lines")" '... or none'
run hector-run -n 1 --buffer block "$stream" dies
is "$status:$(out)" 3: '--buffer block: as into any pipe'
run hector-run -n 1 --buffer none "$stream" dies
is "$(out)" "$(printf '%s\nhalf' "$lines")" '--buffer none: the half line, too'
run hector-run -n 1 -u "$stream" dies
is "$(out)" "$(printf '%s\nhalf' "$lines")" '... and -u'
run hector-run -n 1 --merge-stderr-to-stdout "$stream" dies
is "$(out)" "$lines" 'lines, with stderr merged'
run hector-run -n 1 --output-dir "$T/dir" "$stream" dies
is "$(cat "$T/dir/rank.0/stdout")" "$lines" '... and with --output-dir'

# As on a terminal: also processes below the task, if they write to it.
run hector-run -n 1 sh -c "'$stream' dies; exit 4"
is "$status:$(out)" "4:$lines" 'a process of the task'
run hector-run -n 1 sh -c "'$stream' dies | cat; '$stream' dies >'$T/file'"
is "$(out)$(cat "$T/file")" '' '... but not into a pipe or file of its own'
run hector-run -n 1 sh -c "HECTOR_JOB=9 hector-run -n 1 --buffer block \
    '$stream' dies"
is "$(out)" '' 'a job in a job has its own way'

# Python asks its environment when it starts, and only if it writes there.
unset PYTHONUNBUFFERED
if python3 -c '' 2>/dev/null; then
    dies='import os; print("a"); print("b", end=""); os._exit(5)'
    run hector-run -n 1 python3 -c "$dies"
    is "$status:$(out)" "5:$(printf 'a\nb')" 'Python'
    run hector-run -n 1 sh -c "python3 -c '$dies' | cat"
    is "$(out)" '' '... but not into a pipe of its own'
    run hector-run -n 1 --buffer block python3 -c "$dies"
    is "$(out)" '' '... nor with --buffer block'
else
    skip 'Python' 'no python3 here'
fi

# MPI programs, in C and Fortran, that abort.
run hector-run -n 2 --oversubscribe "$APPS/exits" all say 9
is "$status:$(sort "$T/out" | tr '\n' ,)" \
    '9:0 is about to abort,1 is about to abort,' 'before MPI_Abort'
if [ -x "$APPS/fdies" ]; then
    for how in line block; do
        run hector-run -n 1 --buffer $how "$APPS/fdies"
        is "$status:$(out)" '9: first record
 second record' "a Fortran program that aborts, --buffer $how"
    done
else
    skip 'a Fortran program that aborts' 'no Fortran compiler'
fi

mkdir -p "$HOME/.config/hector"
printf '[run]\nbuffer = block\n' >"$HOME/.config/hector/hector.conf"
run hector-run -n 1 "$stream" dies
is "$(out)" '' 'buffer = block in hector.conf'
run hector-run -n 1 --buffer line "$stream" dies
is "$(out)" "$lines" '... --buffer wins'
printf '[run]\nbuffer = lines\n' >"$HOME/.config/hector/hector.conf"
run hector-run -n 1 "$stream" dies
is "$status" 2 '... a wrong word there is refused'
like "$T/err" 'buffer of tasks .* "lines": one of line.block.none is wanted' \
    '... in words'
done_testing
