# --pty: programs that want a terminal get one, of the size of ours, and ours
# is as it was afterwards, however hector-run ends.
# limit: 60
. "${0%/*}/../lib/t.sh"

at_terminal()   # COMMAND...: as in 0910; typed is what goes to descriptor 9
{
    rm -f "$T/keys"
    mkfifo "$T/keys"
    fresh screen
    "$APPS/terminal" --size 33x99 --then 44x111 "$@" \
        <"$T/keys" >"$T/screen" 2>"$T/err" &
    at=$!
    exec 9>"$T/keys"
}
# shellcheck disable=SC2059 # escapes are meant
keys() { printf "$1" >&9; }
shown() { wait_for "grep -q '$1' '$T/screen'"; }
leave()
{
    status=0
    wait $at || status=$?
    exec 9>&-
}
raw()           # is the terminal of hector-run raw?
{
    stty -a <"/proc/$(runner)/fd/0" | grep -q -- -icanon
}
runner()        # its pid; one like it, its child, keeps the terminal
{
    for p in $(t_processes); do
        parent=$(awk '/^PPid/ { print $2 }' "/proc/$p/status")
        [ "$(cat "/proc/$p/comm")" != hector-run ] ||
            [ "$(cat "/proc/$parent/comm")" = hector-run ] || echo "$p"
    done 2>/dev/null
}

runs()          # WORDS: is there a process of ours with these?
{
    for p in $(t_processes); do
        [ "$(tr '\0' ' ' <"/proc/$p/cmdline")" != "$1" ] || return 0
    done 2>/dev/null
    return 1
}

# ---------------------------------------------------------------- a session
at_terminal env TERM=vt220 hector-run --pty -n 1 sh -i
shown '[#$] '
keys 'tty; stty size; echo "term $TERM"\n'
ok 'an interactive shell has a terminal' shown '^/dev/pts/'
ok '... of the size of ours' shown '^33 99'
ok '... and of its kind' shown '^term vt220'
ok 'ours is raw meanwhile' raw
is "$(grep -c 'stty size' "$T/screen")" 1 '... and what is typed is shown once'
keys 'sleep 100\n'
shown 'sleep 100'
wait_for 'runs "sleep 100 "'         # not the shell that will be it
keys '\003'
shown '\^C'
keys 'echo "ended by $?"\n'
ok 'Ctrl-C is for the program in front' shown 'ended by 130'
kill -USR1 $at
ok 'the window changes its size' wait_for \
    'keys "stty size\n"; grep -q "^44 111" "$T/screen"'
keys 'exec <&- >&- 2>&-; exit 7\n'
leave
is "$status" 7 'the status of the shell'
is "$(cat "$T/err")" '' 'the terminal is as it was'

at_terminal hector-run --pty -n 1 sh -c 'exec <&- >&- 2>&-; sleep 0.3; exit 7'
leave
is "$status" 7 'a task that closes its terminal is not hung up'

# --------------------------------------------------- however hector-run ends
for signal in TERM KILL; do
    at_terminal sh -c 'hector-run --pty -n 1 cat; i=0
        while stty -a | grep -q -e -icanon && [ $i -lt 600 ]; do
            i=$((i + 1)); sleep 0.1; done'
    wait_for 'raw 2>/dev/null'
    kill -$signal "$(runner)"
    leave
    is "$(cat "$T/err")" '' "... after SIG$signal too"
done
at_terminal hector-run --pty -n 1 sh -c 'sleep 0.3; kill -SEGV $$'
leave
is "$status$(cat "$T/err")" 139 '... and after a crash of the task'

# -------------------------------------------------------- without a terminal
printf 'one\ntwo' | hector-run --pty -n 1 sh -c 'cat >"$1"' - "$T/got" \
    >"$T/out"
is "$(cat "$T/got")" "$(printf 'one\ntwo')" \
    'from a pipe: all of it, and its end'
is "$(cat "$T/out")" "$(printf 'one\r\ntwo')" '... which a terminal echoes'
run hector-run --pty -n 1 sh -c 'test -t 0 && test -t 1 && test -t 2 &&
    echo err >&2; stty size'
is "$(tr -d '\r' <"$T/out" | tr '\n' ,)" 'err,24 80,' \
    'stdin, stdout and stderr are the terminal'
run hector-run --pty -n 3 --oversubscribe -l sh -c 'test -t 1 && echo terminal
    test -t 1 || echo pipe'
is "$(sort "$T/out" | tr -d '\r' | tr '\n' ,)" '0: terminal,1: pipe,2: pipe,' \
    'only the task that reads stdin has one'
run hector-run --pty --stdin none -n 1 true
is "$status" 2 'nobody reads and nobody can have one: wrong usage'
done_testing
