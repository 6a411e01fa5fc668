# A name that would play with the terminal is shown for what it is, in every
# sentence and table; what tasks write is theirs and comes out untouched.
# limit: 60
. "${0%/*}/../lib/t.sh"

esc=$(printf '\033')
evil=$(printf '\033[31mred\007\302\233')

# shellcheck disable=SC2317 # called by harmless
harmless()      # DESCRIPTION COMMAND...
{
    tap_h=$1
    shift
    "$@" >"$T/out" 2>"$T/err" </dev/null
    if grep -q "$esc" "$T/out" "$T/err" ||
        LC_ALL=C grep -q "$(printf '\302\233')" "$T/out" "$T/err"; then
        fail "$tap_h" "$(cat -v "$T/out" "$T/err")"
    else
        pass "$tap_h"
    fi
}
cp /bin/false "$T/$evil"
harmless 'a program by that name that fails' hector-run -n 1 "$T/$evil"
harmless 'one that there is not' hector-run -n 1 "$evil"
like "$T/err" '\\x1b\[31mred' '... its name is shown escaped'
harmless 'a host' hector-run -n 1 -H "$evil" true
harmless 'an option' hector-run "--$evil"
harmless 'a job name' hector-run -n 1 --name "$evil" true
harmless 'a directory' hector-run -n 1 --wdir "/$evil" true
harmless 'hector ps' hector ps -a
like "$T/out" '\\x1b\[31mred' '... shows it escaped'
harmless 'hector sql' hector sql 'SELECT name, command FROM jobs'
harmless 'hector sql, a title without rows' hector sql \
    "SELECT 1 AS '$evil' WHERE 0"
harmless 'hector kill' hector kill "$evil"
harmless 'another command' hector "$evil"
harmless 'another database' hector ps --db "/$evil"
run hector-run -n 1 printf '\033[1mbold\033[0m\n'
is "$(cat -v "$T/out")" '^[[1mbold^[[0m' "a task's own output is untouched"
done_testing
