# Ctrl-C at a terminal for adopted jobs: the command gets it from the terminal,
# once, its status is ours, the terminal is as it was.
# limit: 60
# shellcheck disable=SC2016 # for other shells
. "${0%/*}/../lib/t.sh"
need mpirun
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

at_terminal()   # COMMAND...: its screen is $T/screen, descriptor 9 its keys
{
    rm -f "$T/keys"
    mkfifo "$T/keys"
    # a shell starts what is in the background with SIGINT ignored
    fresh screen
    "$APPS/terminal" env --default-signal=INT "$@" <"$T/keys" >"$T/screen" 2>"$T/err" &
    at=$!
    exec 9>"$T/keys"
}
shown() { wait_for "grep -q '$1' '$T/screen'"; }
interrupt()     # and wait: $status
{
    printf '\003' >&9
    status=0
    wait $at || status=$?
    exec 9>&-
}
last() { sql "SELECT state, exit_code FROM jobs ORDER BY job DESC LIMIT 1"; }

at_terminal hector-run --adopt -- sh -c 'echo here; exec sleep 100'
shown here
interrupt
is "$status" 130 'Ctrl-C ends a command that does not care: 130'
is "$(cat "$T/err")" '' '... and the terminal is as it was'
is "$(last)" 'failed|130' '... the record knows'
is "$(sql 'SELECT why FROM job')" 'the launcher was killed by signal 2 (Interrupt)' \
    '... and why'

at_terminal hector-run --adopt -- sh -c 'trap "echo got-int" INT
    echo here; sleep 100; echo went on; exit 7'
shown here
interrupt
is "$status $(grep -c got-int "$T/screen")" '7 1' \
    'one that catches it gets it once, and has its own status'
is "$(cat "$T/err") $(last)" ' failed|7' '... which is recorded'

# As mpirun by itself does it, whatever that is.
connected() { [ "$(sql "SELECT count(*) FROM tasks WHERE state = 'connected'" \
    2>/dev/null)" = 2 ]; }
at_terminal hector-run --adopt -- mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
wait_for connected
interrupt
ours=$status
is "$(cat "$T/err")" '' 'Ctrl-C for mpirun: the terminal is as it was'
ok '... its tasks have ended' wait_for '[ -z "$(t_processes)" ]'
is "$(sql "SELECT count(*) FROM tasks WHERE state IN ('exited', 'killed')")" 2 \
    '... which is recorded'
is "$(last)" "failed|$ours" '... and the status'
at_terminal mpirun -n 2 sh -c 'echo here; exec "$APPS/hello" --wait-for "$T/go"'
shown here
interrupt
is "$ours" "$status" '... which is that of mpirun'
done_testing
