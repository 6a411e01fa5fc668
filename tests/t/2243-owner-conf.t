# Keys of an owner that make no sense, or ask for what there is not on this machine: one
# sentence at the start, and status 1.
# limit: 10
# shellcheck disable=SC2154 # t.sh's
. "${0%/*}/../lib/t.sh"

refuses()       # DESCRIPTION EXTENDED-REGEXP LINE...
{
    tap_d=$1 tap_re=$2
    shift 2
    { echo '[slave]'; printf '%s\n' "$@"; } >"$T/slave.conf"
    run hector-slave -n -f "$T/slave.conf" --master "unix:$T/none.sock"
    is "$status $(grep -Ec -- "$tap_re" "$T/err") $(wc -l <"$T/err")" '1 1 1' "$tap_d"
    cat "$T/err" >&2
}
refuses 'a wrong word' 'owner: alice is none of user, console and load$' 'owner = user alice'
refuses 'a wrong time' 'slave.conf:3: owner_idle: .*soon' 'owner = user' 'owner_idle = soon'
refuses 'no time at all' 'owner_idle: 0 is not from 1 to 86400 s' 'owner_idle = 0'
refuses 'looks that come too seldom' 'owner_look: 1m is not from 0.1 to 3 s' 'owner_look = 1m'
refuses 'no load' 'owner_load: .*' 'owner_load = 0'
refuses 'a wrong rule' 'owner_else: kill is neither suspend nor nothing' 'owner_else = kill'
refuses 'no utmp' 'owner = user: .*/utmp: No such file' 'owner = user' "owner_utmp = $T/utmp"
mkfifo "$T/pipe"
refuses 'a utmp that could let it wait' 'owner = user: .*/pipe: ' 'owner = user' \
    "owner_utmp = $T/pipe"
refuses 'no terminal' 'owner = console: there is no device as ' 'owner = console' \
    "owner_console = $T/tty*"
: >"$T/utmp"
: >"$T/tty1"
printf '[slave]\nowner = user, console load\nowner_utmp = %s\nowner_console = %s\n' \
    "$T/utmp" "$T/tty*" >"$T/slave.conf"
run hector-slave -n -f "$T/slave.conf" --master "unix:$T/none.sock"
is "$status $(cat "$T/err")" '0 ' 'all of them, where they can be seen'
done_testing
