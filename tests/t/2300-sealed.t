# What Hector's processes say to each other between hosts nobody on the way can read:
# input, output, environment, command and cookie of a job, and the image of a task that
# moves. What he changes ends the link, in words.
# limit: 60
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
hosts 2
need sqlite3 cc

cc -o "$T/sniff" "$top/tests/lib/sniff.c"
"$T/sniff" >"$T/wire" 2>"$T/sniff.err" &
sniffer=$!
wait_for '[ -s "$T/sniff.err" ]'
if ! grep -q ready "$T/sniff.err"; then
    skip_all "nothing can be listened to here: $(cat "$T/sniff.err")"
fi
seen() { grep -ac -- "$1" "$T/wire"; }
R="hector-run --launch-agent $AGENT --oversubscribe"
. "$top/tests/lib/rounds.sh"
tasks=2

# It does see what passes: a word that is said in the clear, before the job's and after.
cat >"$T/say.c" <<'END'
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(4747) };
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    inet_pton(AF_INET, argv[1], &a.sin_addr);
    return argc != 3 || sendto(fd, argv[2], strlen(argv[2]), 0,
                               (struct sockaddr *)&a, sizeof(a)) < 0;
}
END
cc -o "$T/say" "$T/say.c"
on n1 "$T/say" 10.66.0.2 word-in-the-clear-1
ok 'what is said in the clear is seen' wait_for '[ "$(seen word-in-the-clear-1)" -ge 1 ]'

yes secret-input | head -n 20000 >"$T/in"
export SECRET_VARIABLE=secret-environment
$R -H n1:1,n2:1 -n 2 sh -c 'echo secret-output $SECRET_VARIABLE; cat >/dev/null
    echo secret-words >&2' secret-argument <"$T/in" >"$T/out" 2>"$T/err"
is "$? $(grep -c 'secret-output secret-environment' "$T/out") $(
    grep -c secret-words "$T/err")" '0 2 2' 'a job on two hosts'
$R -H n1:1,n2:1 -n 2 sh -c 'cat; yes secret-output | head -n 20000' <"$T/in" >"$T/out"
is "$? $(wc -l <"$T/out")" '0 60000' '... with much input and output'

begin -H n1:2,n2:2 --migratable --policy none
run hector migrate "$job.0" n2
is "$status $(grep -c 'on n2 now' "$T/out")" '0 1' 'a task moves to another host'
further 2
whole '... and nothing of it is lost'
is "$(sql "SELECT image_bytes > 100000 FROM moves WHERE job = $job AND result = 'done'")" \
    1 '... as an image'

on n1 "$T/say" 10.66.0.2 word-in-the-clear-2
ok 'what is said in the clear is seen still' \
    wait_for '[ "$(seen word-in-the-clear-2)" -ge 1 ]'
for word in secret-input secret-output secret-environment secret-argument secret-words \
    SECRET_VARIABLE OMPI_ PMIX_; do
    is "$(seen $word)" 0 "nobody on the way sees: $word"
done
ok '... and there was much to be seen' [ "$(stat -c %s "$T/wire")" -gt 1000000 ]
kill $sniffer
done_testing
