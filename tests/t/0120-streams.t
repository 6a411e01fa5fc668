# hector-run is a Unix command: stdin, stdout and stderr as in a pipe.
# limit: 60
. "${0%/*}/../lib/t.sh"

stream="$APPS/stream"

# ------------------------------------------------------------------ stdin
printf 'one\ntwo\n' | hector-run -n 1 cat >"$T/out"
is "$(out)" "$(printf 'one\ntwo')" 'stdin to stdout'
printf 'x' | hector-run -n 3 --oversubscribe "$stream" cat >"$T/out" 2>"$T/err"
is "$(out)" x 'stdin goes to rank 0 alone, the others see its end'
is "$(sort "$T/err" | tr '\n' ,)" '0 bytes,0 bytes,1 bytes,' '... each once'

for bytes in 4095 4096 65535 65536 65537 1000000; do
    head -c $bytes /dev/urandom >"$T/data"
    hector-run -n 2 "$stream" cat <"$T/data" >"$T/out" 2>/dev/null
    ok "$bytes bytes arrive as they were" cmp "$T/data" "$T/out"
done
head -c 100000000 /dev/zero | tr '\0' 'z' |
    hector-run -n 1 "$stream" cat 2>"$T/err" | cksum >"$T/out"
is "$(out)" "$(head -c 100000000 /dev/zero | tr '\0' 'z' | cksum)" \
    '100 MB through a task'

seq 1000 >"$T/data"
hector-run -n 3 --oversubscribe --stdin all "$stream" cat \
    <"$T/data" >"$T/out" 2>"$T/err"
is "$(sort -n "$T/out" | uniq -c | awk '$1 != 3' | wc -l)" 0 \
    '--stdin all: every task gets everything'
hector-run -n 3 --oversubscribe --stdin 2 sh -c 'cat >/dev/null;
    echo $HECTOR_RANK' <"$T/data" >"$T/out"
is "$(sort "$T/out" | tr '\n' ' ')" '0 1 2 ' '--stdin 2: all end'
hector-run -n 2 --stdin 1 "$stream" cat <"$T/data" 2>"$T/err" >"$T/out"
ok '... and rank 1 has read it' cmp "$T/data" "$T/out"
hector-run -n 2 --stdin none "$stream" cat <"$T/data" 2>"$T/err" >"$T/out"
is "$(cat "$T/err")" "$(printf '0 bytes\n0 bytes')" '--stdin none'

yes | timeout 120 hector-run -n 1 "$stream" head >"$T/out"
is "$?:$(out)" 0:y 'a task that stops reading does not hang the job'
(echo early; sleep 1; echo late) | hector-run -n 1 cat >"$T/out"
is "$(out)" "$(printf 'early\nlate')" 'a slow writer in front'

# ----------------------------------------------------------------- stdout
run hector-run -n 4 --oversubscribe "$stream" lines 5000
is "$(sort "$T/out" | uniq | wc -l)" 20000 'lines do not mix'
is "$(grep -cvE '^rank [0-3] line [0-9]+$' "$T/out")" 0 '... inside a line'
for r in 0 1 2 3; do
    sed -n "s/^rank $r line //p" "$T/out" >"$T/one"
    ok "rank $r: its lines stay in order" sh -c \
        "seq 0 4999 | cmp - '$T/one'"
done
run hector-run -n 1 "$stream" bytes 300000
is "$(wc -c <"$T/out")" 300000 'a long last line without a newline'
timeout 120 hector-run -n 2 yes 2>"$T/err" | head -n 3 >"$T/out"
is "$(out)" "$(printf 'y\ny\ny')" 'a reader that goes away ends the job'

run hector-run -n 2 "$stream" both
is "$(sort "$T/out" | tr '\n' ,)" 'out of 0,out of 1,' 'stdout'
is "$(sort "$T/err" | tr '\n' ,)" 'err of 0,err of 1,' 'stderr'
run hector-run -n 2 --merge-stderr-to-stdout "$stream" both
is "$(sort "$T/out" | tr '\n' ,)" \
    'err of 0,err of 1,out of 0,out of 1,' 'stderr merged into stdout'
is "$(cat "$T/err")" '' '... and gone from stderr'

# ----------------------------------------------------------------- labels
run hector-run -n 2 -l "$stream" both
is "$(sort "$T/out" | tr '\n' ,)" '0: out of 0,1: out of 1,' '-l as srun'
run hector-run -n 2 --tag-output "$stream" both
is "$(sort "$T/out" | tr '\n' ,)" \
    '[1,0]<stdout>:out of 0,[1,1]<stdout>:out of 1,' '--tag-output as mpirun'
like "$T/err" '^\[1,0\]<stderr>:err of 0$' '... stderr too'
run hector-run -n 1 --tag-output "$stream" pieces
is "$(out)" '[1,0]<stdout>:abcdef' 'a line in pieces gets one tag'
run hector-run -n 1 --timestamp-output "$stream" both
like "$T/out" '[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}.*out of 0$' \
    '--timestamp-output: microseconds'
run hector-run -n 2 --output-dir "$T/dir" "$stream" both
is "$(cat "$T"/dir/rank.0/stdout "$T"/dir/rank.1/stderr)" \
    "$(printf 'out of 0\nerr of 1')" '--output-dir'

run hector-run -n 2 --output-dir "$T/both" --merge-stderr-to-stdout -l \
    "$stream" both
is "$(sort "$T/both/rank.1/stdout" | tr '\n' ,)$(ls "$T/both/rank.1")" \
    'err of 1,out of 1,stdout' '... with stderr merged, as it is, without labels'
is "$(cat "$T/out" "$T/err")" '' '... and nothing of it on ours'
run hector-run -n 1 --timestamp-output --tag-output "$stream" pieces
like "$T/out" '^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}[+-][0-9:]{5} \[1,0\]<stdout>:abcdef$' \
    'time and tag in front of a line in pieces, once'
run hector-run -n 12 --oversubscribe -l sh -c 'echo x'
is "$(sort "$T/out" | head -n 2 | tr '\n' ,)" '00: x,01: x,' \
    'labels are of one width, as those of srun'

# A prompt is shown although its line is not finished.
mkfifo "$T/in"
fresh out
hector-run -n 1 "$stream" prompt <"$T/in" >"$T/out" &
exec 9>"$T/in"
ok 'a prompt is shown while the task waits' \
    wait_for 'grep -q "name?" "$T/out"'
echo ada >&9
exec 9>&-
wait $!
is "$(out)" 'name? hello ada' '... and the answer arrives'

seq 3 | hector-run -n 1 cat | hector-run -n 1 sed 's/^/>/' >"$T/out"
is "$(out)" "$(printf '>1\n>2\n>3')" 'two jobs in one pipe'
done_testing
