# Nobody in: what no peer would say, said to every socket while a job runs.
# Each is refused and its connection closed, the log has it once a source,
# and the job does not notice.
# limit: 60
. "${0%/*}/../lib/t.sh"
began=$(date +%s)
minutes() { echo $((($(date +%s) - $1) / 60)); }        # SINCE

start_tcp_master
tcp=tcp:127.0.0.1:$port
start_slave n1
ok 'a slave joins' wait_for \
    '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 1 ]'
mkfifo "$T/gate"
hector-run --master "$master" -n 2 --stdin all sh -c \
    'while read -r l; do echo "$l"; done' <"$T/gate" >"$T/job.out" \
    2>"$T/job.err" &
job=$!
exec 9>"$T/gate"
wait_for '[ "$(sql "SELECT state FROM jobs")" = running ]'
echo before >&9
ok 'a job runs' wait_for '[ "$(grep -c before "$T/job.out")" = 2 ]'
# The job's streams: a socket that has no file, and one of TCP.
of_job()        # FILE COLUMN CONDITION: of a socket of hector-run
{
    find "/proc/$job/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n' |
        awk -v at="$2" 'NR == FNR { mine[$1]; next } ($at in mine) &&
            '"$3" - "/proc/net/$1"
}
stream=unix:$(of_job unix 7 '$8 ~ /^@hector-/ { print $8; exit }')
number=$(for f in tcp tcp6; do
    of_job $f 10 '$4 == "0A" { sub(/.*:/, "", $2); print $2; exit }' 2>/dev/null
done)
stream_tcp=tcp:127.0.0.1:$(printf '%d' "0x$number")
tasks=unix:$(find "$TMPDIR" -name tasks.sock)

says()          # FATE DESCRIPTION [OPTION...] ADDRESS WORD...
{
    tap_fate=$1 tap_says=$2
    shift 2
    stranger "$@" >"$T/heard" 2>&1
    is "$(tail -n 1 "$T/heard")" "$tap_fate" "$tap_says" ||
        cat "$T/heard" >&2
}
cp "$APPS/stranger" "$T/stranger"
stranger_as=$T/stranger
# shellcheck disable=SC2086 # words
stranger() { $stranger_as -w 60 "$@"; }

# ------------------------------------------------- any socket with frames
frames()        # NAME [OPTION...] ADDRESS
{
    tap_sock=$1
    shift
    says closed "$tap_sock: noise" "$@" noise:5000
    says closed "$tap_sock: half a frame" "$@" cut
    says closed "$tap_sock: a frame of 95 MiB" "$@" header:99999999,1,1,0,0
    says closed "$tap_sock: a frame of the future" "$@" header:0,1,2,0,0
    says closed "$tap_sock: a byte that must be zero" "$@" header:0,1,1,7,0
    says closed "$tap_sock: a message before Hello" "$@" frame:50
    says closed "$tap_sock: an unknown message" "$@" frame:200
    says closed "$tap_sock: Hello that is no protobuf" "$@" frame:1:ffffff
    says closed "$tap_sock: the wrong sequence number" "$@" skip hello:role=4
    says closed "$tap_sock: Hello twice" "$@" hello:role=4 again
    says closed "$tap_sock: protocol 99" "$@" hello:protocol=99
    like "$T/heard" '^Refuse: ' "$tap_sock: ... told so"
    says closed "$tap_sock: a master where none can be" "$@" hello:role=1
    like "$T/heard" '^Refuse: ' "$tap_sock: ... told so"
    says closed "$tap_sock: a role that is none" "$@" hello:role=77
}
frames 'master, Unix' "$master"
frames 'master, TCP' -k "$T/key" "$tcp"
frames 'streams' "$stream"
frames 'streams, TCP' -k "$T/key" "$stream_tcp"

# ------------------------------------------------------------- the master
for how in "$master" "-k $T/key $tcp"; do
    # shellcheck disable=SC2086 # two or three words
    says closed "${how##* }: a slave whose name is taken" $how \
        hello:role=2,name=n1
    like "$T/heard" 'Refuse: a slave named n1 has already joined' \
        '... is told so'
    # shellcheck disable=SC2086
    says closed "${how##* }: a slave whose name is none" $how \
        'hello:role=2,name=a;b'
    like "$T/heard" 'Refuse: "a;b" is no name for a node' '... is told so'
    # shellcheck disable=SC2086
    for words in 'role=4 frame:16' 'role=4 frame:54' 'role=3 frame:50' \
        'role=2,name=x kill:1' 'role=2,name=x signal:1' 'role=4 frame:32'; do
        says closed "${how##* }: what its role may not say: $words" $how \
            "hello:${words%% *}" "${words#* }"
    done
    # shellcheck disable=SC2086
    says closed "${how##* }: a slave tells of a job it has no part in" $how \
        hello:role=2,name=x frame:57:0801
done
stranger -w 1 "$master" hello:role=3 kill:1 signal:1 >/dev/null
is "$(sql 'SELECT state FROM jobs')" running \
    'another hector-run cannot end or signal the job'

# -------------------------------------------------------------------- TCP
says closed 'TCP: Hello without the proof' "$tcp" hello:role=4
is "$(cat "$T/heard")" closed '... hears nothing'
says closed 'TCP: half of the proof, then silence' "$tcp" call
says closed 'TCP: half of the proof, then noise' "$tcp" call noise:32
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$T/other"
chmod 600 "$T/other"
says closed 'TCP: the wrong key' -k "$T/other" "$tcp" hello:role=4
# Behind the proof, from somebody on the way: what is not sealed, and what was said.
says closed 'TCP: noise where a sealed record is due' -k "$T/key" "$tcp" noise:64
says closed 'TCP: a frame in the clear' -k "$T/key" "$tcp" clear hello:role=4
is "$(cat "$T/heard")" closed '... hears nothing'
says closed 'TCP: a record once more' -k "$T/key" "$tcp" hello:role=4 replay
ok '... which the log names' wait_for \
    'grep -q "not what the peer has sealed" "$T/master.log"'
"$T/stranger" -w 60 -k "$T/key" "$tcp" hello:role=4 >"$T/operator" 2>&1 &
operator=$!
ok 'TCP: with the key an operator is welcome' \
    wait_for 'grep -q "^Welcome" "$T/operator"'
sleep 1
is "$(grep -c closed "$T/operator")" 0 '... and may stay'
kill $operator

# ---------------------------------------------------------------- streams
for how in "$stream" "-k $T/key $stream_tcp"; do
    # shellcheck disable=SC2086 # one word or three
    says closed "${how##* }: a wrong cookie" $how hello:role=2,job=1,\
cookie=00112233445566778899aabbccddeeff frame:80:0801
    like "$T/heard" '^Refuse: ' '... told so'
    # shellcheck disable=SC2086
    says closed "${how##* }: a wrong job" $how hello:role=2,job=2
    # shellcheck disable=SC2086
    says closed "${how##* }: an operator" $how hello:role=4
done
says closed 'streams, TCP: Hello without the proof' "$stream_tcp" hello:role=2
is "$(cat "$T/heard")" closed '... hears nothing'
says closed 'streams, TCP: the wrong key' -k "$T/other" "$stream_tcp" \
    hello:role=2
says closed 'streams, TCP: half of the proof, then noise' "$stream_tcp" \
    call noise:32

# ----------------------------------------------------------- registration
says closed 'registration: noise' -q "$tasks" noise:500
says closed 'registration: too little' -q "$tasks" text:x
says closed 'registration: silence' -q "$tasks"

# ------------------------------------------------------------ other users
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$T" "$TMPDIR" && chmod 777 "$T/master.sock"
    chmod 755 "$T/stranger"
    stranger_as="setpriv --reuid nobody --regid nogroup --clear-groups
        $T/stranger"
    says closed "another user, though the path is open: master" "$master" \
        hello:role=4
    is "$(cat "$T/heard")" closed '... hears nothing'
    says closed "another user: streams" "$stream" hello:role=4
    is "$(cat "$T/heard")" closed '... hears nothing'
    says closed "another user: registration" -q "$tasks" noise:104
    like "$T/master.log" 'refused uid [0-9]+ pid [0-9]+: uid [0-9]+ is not' \
        'the log says who it was'
else
    skip 'another user' 'only root can become one'
fi

# ---------------------------------------------------------------- the log
stranger_as=$T/stranger
lines=$(wc -l <"$T/master.log") more=$(date +%s)
i=0
while [ $i -lt 20 ]; do
    stranger "$tcp" noise:50 >/dev/null
    stranger "$master" noise:50 >/dev/null
    stranger -q "$tasks" noise:50 >/dev/null
    i=$((i + 1))
done
often=$(minutes "$more")
more=$(($(wc -l <"$T/master.log") - lines))
ok "forty strangers more leave at most two lines ($more) a minute" \
    [ "$more" -le $((2 * often + 2)) ]
ok 'the slave has its strangers once a user and minute' \
    [ "$(grep -c 'not a registration' "$T/slave-n1.log")" -le $(($(minutes "$began") + 2)) ]

# ---------------------------------------------------------------- the job
echo after >&9
exec 9>&-
wait "$job"
is "$?" 0 'the job has ended well'
is "$(sort "$T/job.out" | uniq -c | tr -s ' ' | tr '\n' ';')" \
    ' 2 after; 2 before;' 'with its whole output, and nothing else'
grep -v '^hector: [a-z]*: refused ' "$T/job.err" >"$T/words"
is "$(cat "$T/words")" '' 'hector-run has words for strangers only'
kill -0 "$master_pid" 2>/dev/null && kill -0 "$slave_pid" 2>/dev/null
is "$?" 0 'master and slave live'
done_testing
