# On TCP nobody gets in without the cluster key, and a stranger's bytes harm
# nothing.
# limit: 60
. "${0%/*}/../lib/t.sh"

start_tcp_master
like "$T/master.log" 'listening on .*,tcp:127\.0\.0\.1:[0-9]+, database' \
    'the master says where it listens, and only there'
is "$(stat -c %a "$T/key")" 600 'the key was made, for its owner only'
master=tcp:127.0.0.1:$port
start_slave n1
ok 'a slave with the key joins' wait_for \
    '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 1 ]'
run hector-run --master "$master" -n 2 "$APPS/hello"
is "$status" 0 'a job over TCP'

# Where the key is in a process: "N M", N places that a core dump would have, M others.
places()        # PID
{
    perl -e '
        my ($pid, $hex) = @ARGV;
        my ($key, $dumped, $hidden, $from, $to) = (pack("H*", $hex), 0, 0);
        open(my $maps, "<", "/proc/$pid/smaps") or die;
        open(my $mem, "<:raw", "/proc/$pid/mem") or die;
        while (<$maps>) {
            ($from, $to) = (hex $1, hex $2) if /^([0-9a-f]+)-([0-9a-f]+) rw/;
            next unless defined $from && /^VmFlags:(.*)/;
            my $dd = $1 =~ / dd/;
            sysseek($mem, $from, 0) or next;
            my $size = $to - $from;
            undef $from;
            sysread($mem, my $bytes, $size) or next;
            my $n = () = $bytes =~ /\Q$key\E/g;
            $dd ? ($hidden += $n) : ($dumped += $n);
        }
        print "$dumped ", $hidden > 0 ? "some" : "none", "\n"' "$1" "$(cat "$T/key")"
}
for p in $master_pid $(cat "/proc/$slave_pid/task/$slave_pid/children"); do
    if grep -q libasan "/proc/$p/maps"; then
        skip 'the key is in no core dump' 'so is memory of the sanitizer'
    elif head -c 1 "/proc/$p/mem" 2>&1 | grep -q 'Permission denied'; then
        skip 'the key is in no core dump' 'memory of processes cannot be read'
    else
        is "$(places "$p")" '0 some' \
            "$(cat "/proc/$p/comm"): the key is in no core dump"
    fi
done

head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$T/other"
chmod 600 "$T/other"
HECTOR_KEY_FILE=$T/other run timeout 60 hector-run --master "$master" -n 1 true
is "$status" 125 'another key: 125'
like "$T/err" '^hector: .*key' '... in words'
chmod 644 "$T/other"
HECTOR_KEY_FILE=$T/other run hector-run --master "$master" -n 1 true
is "$status" 125 'a key that others can read is refused'
like "$T/err" 'chmod' '... with the way to mend it'

# Strangers: silence, noise, half a handshake; many of them.
i=0
while [ $i -lt 50 ]; do
    head -c $((i * 7)) /dev/urandom | timeout 1 bash -c \
        "cat >/dev/tcp/127.0.0.1/$port" 2>/dev/null &
    i=$((i + 1))
done
timeout 3 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; sleep 2" &
run hector-run --master "$master" -n 2 "$APPS/hello"
is "$status" 0 'fifty strangers do not keep a job from running'
wait_for '! pgrep -f "dev/tcp/127.0.0.1/$port" >/dev/null'
kill -0 "$master_pid" 2>/dev/null
is "$?" 0 'the master lives'
done_testing
