# rounds.sh - jobs of build/apps/rounds in the background, for tests that move their
# tasks or make them again. Wants $R, with all options of every job.
# shellcheck shell=sh disable=SC2034,SC2086,SC2154 # by who reads it; words are wanted
begin()         # WORD...: a job of $tasks tasks, which run when it is back; $more
                # is of the program, $wrap before it, $input what it reads
{
    rm -f "$T/enough" "$T/rounds.out"
    $R "$@" -n $tasks ${wrap-} "$build/apps/rounds" "$T/enough" ${more+"$more"} \
        <"${input-/dev/null}" >"$T/rounds.out" 2>"$T/rounds.err" &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/rounds.out")" = $tasks ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
further()       # so many rounds more are seen
{
    tap_seen=$(grep -c '^round .* 0$' "$T/rounds.out") || :
    wait_for "[ \$(grep -c '^round .* 0\$' '$T/rounds.out') -ge $((tap_seen + $1)) ]"
}
finish()        # after more rounds than were seen; its status is in $status
{
    sed -n 's/^round \([0-9]*\) .*/\1/p' "$T/rounds.out" | sort -n | tail -n 1 >"$T/until"
    mv "$T/until" "$T/enough"
    status=0
    wait $runner || status=$?
}
whole()         # DESCRIPTION: it ended well, each number came once, each line once
{
    finish
    tap_rounds=$(sed -n 's/^rank 0 .* rounds //p' "$T/rounds.out")
    is "$status $(grep -c "of $tasks wrong 0 rounds $tap_rounds\$" "$T/rounds.out") $(
        grep -c '^round' "$T/rounds.out") $(sort "$T/rounds.out" | uniq -d | wc -l) $(
        wc -l <"$T/rounds.out")" \
        "0 $tasks $((tasks * tap_rounds)) 0 $((tasks * (tap_rounds + 2)))" "$1"
    cat "$T/rounds.err" >&2
}
launched()      # N: the job runs for the Nth time
{
    wait_for "[ \"\$(sql \"SELECT count(*) FROM transition WHERE job = $job AND
        machine = 'job' AND event = 'launched'\")\" = $1 ]"
}
processes()     # how many tasks of this test there are
{
    for tap_p in $(t_processes); do cat "/proc/$tap_p/comm"; done 2>/dev/null |
        grep -cx rounds
}
pid_of()        # RANK
{
    sql "SELECT pid FROM tasks WHERE job = $job AND rank = $1"
}
hold_back()     # PROGRAM [WORD]: who runs it from now on waits before it begins as long
{               # as there is $T/hold; only where WORD is its first, if there is one
    mkdir "$T/bin"
    cp "$BIN"/* "$T/bin"
    cp -a "$build/lib" "$T/lib"
    mv "$T/bin/$1" "$T/bin/$1.real"
    cat >"$T/bin/$1" <<END
#!/bin/sh
while [ -e "$T/hold" ] ${2:+&& [ x\$1 = x$2 ]}; do sleep 0.02; done
exec "$T/bin/$1.real" "\$@"
END
    chmod 755 "$T/bin/$1"
    BIN=$T/bin PATH=$T/bin:$PATH
}
