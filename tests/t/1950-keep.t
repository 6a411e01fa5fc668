# Checkpoints as files: what is damaged of an image or of a checkpoint is found,
# with a sentence, and nothing else happens; a new checkpoint is whole before an
# older one goes, wherever hector-keep ends and whatever fails; what a person has
# put there stays. Files that a program wrote to are cut when it goes back to an
# image, if that is asked for, and else are not.
# limit: 60
# shellcheck disable=SC2086 # options are words
. "${0%/*}/../lib/t.sh"
need_moves
need cc
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'

cc -std=c11 -D_GNU_SOURCE -shared -fPIC -O2 -I"$top" -pthread \
    -o "$T/imaged.so" "$top/tests/lib/imaged.c" "$build/pic/image.a" || exit 1
cc -std=c11 -D_GNU_SOURCE -shared -fPIC -O2 -o "$T/ends_at.so" \
    "$top/tests/lib/ends_at.c" -ldl || exit 1
cat >"$T/writer.c" <<'END'
/* With a log that it adds to, a file that it reads and writes, one that it reads
 * only, one without a name, and so many MiB of memory: up to a line of input,
 * which it goes on behind. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        _exit(3);
}

int main(int argc, char **argv)
{
    size_t n = (size_t)atoi(argv[1]) << 20;
    char *memory = malloc(n + 1), c;
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    int both = open("both", O_RDWR | O_CREAT, 0600);
    int input = open("input", O_RDONLY);
    int gone = open("gone", O_RDWR | O_CREAT, 0600);

    unlink("gone");
    for (size_t i = 0; i < n; i++)
        memory[i] = (char)(i * 2654435761u >> 13);
    for (int i = 0; i < 9000; i++)
        put(gone, "c");
    put(log, "log 1\n");
    put(both, "both 1\n");
    if (input < 0 || argc != 2 || read(0, &c, 1) != 1)
        return 2;
    put(log, "log 2\n");
    put(both, "both 2\n");
    return 0;
}
END
cc -std=c11 -D_GNU_SOURCE -O1 -o "$T/writer" "$T/writer.c" || exit 1
mkdir "$T/at"
mkfifo "$T/in"
exec 7<>"$T/in"

image()         # MIB: of a writer, in $T/img
{
    rm -f "$T/at/log" "$T/at/both" "$T/img"
    echo input >"$T/at/input"
    fresh err
    (cd "$T/at" && IMAGE_TO=$T/img LD_PRELOAD=$T/imaged.so \
        exec "$T/writer" "$1" <&7 2>"$T/err") &
    task=$!
    wait_for 'grep -qs "both 1" "$T/at/both"'
    kill -USR2 $task
    wait $task
    [ -e "$T/img" ]
}
sentence()      # STATUS PATTERN DESCRIPTION: of the last run, which said this
{
    is "$status|$(out)|$(grep -c . "$T/err")" "$1||1" "$3"
    like "$T/err" "^hector-(restore|keep): .*($2)" '... with a sentence'
}
silent()        # DESCRIPTION: the last run was well and said nothing
{
    is "$status|$(out)|$(cat "$T/err")" '0||' "$1"
}

# ------------------------------------------------------------- whole, and not
ok 'an image' image 2
bytes=$(stat -c %s "$T/img")
head_bytes=$(od -An -tu4 -j 12 -N 4 "$T/img" | tr -d ' ')
cp "$T/img" "$T/good"
run hector-restore --check "$T/img" "$T/good"
silent 'two images are whole'
run hector-restore --check "$T/good" "$T/none" "$T/img"
sentence 125 'none: cannot be opened: there is no such file' 'one that is not there'
run hector-restore --check "$T/in"
sentence 125 'in: is no plain file' 'a pipe'
run hector-restore --check "$T"
sentence 125 'is no plain file' 'a directory'
for words in --check "--check --cut $T/img" "--check --tell x $T/img"; do
    run hector-restore $words
    is $status 2 "hector-restore ${words%% /*}: it is said how it is used"
done
mv "$T/at" "$T/away"
run hector-restore --check "$T/img"
silent 'a whole one whose files are away'
mv "$T/away" "$T/at"

keep=$T/keep
mkdir -p "$keep/1"
for r in $(seq 0 69); do
    ln "$T/good" "$keep/1/rank-$r.image"
done
run hector-keep check "$keep" 1 0-69
silent '70 images of a checkpoint'

bad()           # DESCRIPTION PATTERN: the image in $T/img is refused by both
{
    run hector-restore --check "$T/good" "$T/img"
    sentence 125 "img: ($2)" "$1"
    rm -f "$keep/1/rank-67.image"
    ln "$T/img" "$keep/1/rank-67.image"
    run hector-keep check "$keep" 1 0-69
    sentence 1 "checkpoint 1 in .*keep has rank-67\.image, which ($2)" \
        "$1, hector-keep"
}
flip()          # OFFSET: one bit of the byte there is another
{
    rm -f "$T/img"
    cp "$T/good" "$T/img"
    old=$(od -An -tu1 -j "$1" -N 1 "$T/good" | tr -d ' ')
    printf '%b' "\\0$(printf '%o' $((old ^ 1)))" |
        dd of="$T/img" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
flip 0
bad 'its first byte' 'is no image of a process'
flip 8
bad 'its version' 'is an image of version'
flip 200
bad 'its head' 'is damaged: its head'
flip $((head_bytes + 100))
bad 'its tables' 'is damaged: its tables'
flip $((bytes - 48 - 9000 - 500000))
bad 'its memory' 'is damaged: its memory'
flip $((bytes - 48 - 9000 - 8))
bad 'where its memory ends' 'is damaged: its memory|ends too early'
flip $((bytes - 48 - 4000))
bad 'its contents' 'is damaged: its memory'
flip $((bytes - 48))
bad 'its tail' 'is damaged: its memory'
flip $((bytes - 40))
bad 'how long it is' 'is damaged: its memory'
flip $((bytes - 1))
bad 'its last byte' 'is damaged: its memory'
for n in 0 100 "$head_bytes" $((head_bytes + 1000)) $((bytes / 2)) \
    $((bytes - 48 - 9000)) $((bytes - 48)) $((bytes - 1)); do
    rm -f "$T/img"
    head -c "$n" "$T/good" >"$T/img"
    bad "cut off behind $n bytes" 'ends too early|is no image'
done
rm -f "$T/img"
{ cat "$T/good"; echo more; } >"$T/img"
bad 'something behind it' 'is damaged: it goes on behind its end'
rm "$keep/1/rank-67.image"
run hector-keep check "$keep" 1 0-69
sentence 1 'has no rank-67\.image as it was written' 'one is not there'
ln -s "$T/good" "$keep/1/rank-67.image"
run hector-keep check "$keep" 1 67
sentence 1 'has no rank-67\.image as it was written' 'a link'
run hector-keep check "$keep" 1 0-66,68-69
silent 'all others'
run hector-keep check "$keep" 2 0
sentence 1 'checkpoint 2 in .*keep: ' 'no such checkpoint'
rm -r "$keep"

# Of any size, by as little memory.
image 64
run sh -c 'ulimit -v 16384; exec hector-restore --check "$T/img"'
silent 'a large one, by a process of 16 MiB at most'
rm "$T/img"

# ------------------------------------------------------------------ seal, keep
size=$(stat -c %s "$T/good")
made()          # NUMBER: of two images, and what it says
{
    hector-keep begin "$keep" "$1" || return
    ln -f "$T/good" "$keep/$1/rank-0.image"
    ln -f "$T/good" "$keep/$1/rank-1.image"
    kept "$1" "$size" "$size" >"$T/says"
}
kept()
{
    "$APPS/kept" "$@"
}
seal()          # NUMBER
{
    status=0
    hector-keep seal "$keep" "$1" <"$T/says" >"$T/out" 2>"$T/err" || status=$?
}
there()         # [NUMBER]: what is in the directory
{
    find "$keep/${1:-}" -mindepth 1 -maxdepth 1 | sed 's|.*/||' | LC_ALL=C sort -n |
        xargs
}
whole()         # NUMBER: is it a checkpoint, all of which can be read?
{
    [ -f "$keep/$1/checkpoint" ] &&
        [ "$(head -n 1 "$keep/$1/checkpoint")" = 'Hector checkpoint 1' ] &&
        [ "$(head -c -32 "$keep/$1/checkpoint" | sha256sum | cut -d ' ' -f 1)" = \
            "$(tail -c 32 "$keep/$1/checkpoint" | od -An -v -tx1 | tr -d ' \n')" ] &&
        hector-keep check "$keep" "$1" 0-1 2>/dev/null
}

keep=$T/a/b/keep
mkdir "$T/a"
run hector-keep begin "$keep" 1
sentence 1 'keep, which is not there: .* mounted' 'a directory below one that is not there'
mkdir "$T/a/b"
run hector-keep begin "$keep" 1
sentence 1 'keep, which is not there: .* mounted' '... and one that is not there'
is "$(find "$T/a" | wc -l)" 2 '... are not made'
mkdir "$keep"
run hector-keep begin "$keep" 1
silent 'a directory that is there'
is "$(stat -c %a "$keep/1")" 700 '... gets one for its user alone'
run hector-keep begin "$keep" 1
silent '... and may be there'
mkdir -p "$T/many/of/them"
for n in 1 2 3 4 5 6 7 8; do
    hector-keep begin "$T/many/of/them" 9 2>>"$T/err" &
done
wait
is "$(cat "$T/err") $(ls "$T/many/of/them")" ' 9' 'eight hosts at once'

writes()        # RANK: what comes on standard input, into the first one
{
    status=0
    hector-keep write "$keep" 1 "$1" >"$T/out" 2>"$T/err" || status=$?
}
writes 7 <"$T/good"
silent 'an image that comes through a pipe or from a file'
run hector-keep check "$keep" 1 7
silent '... is whole'
writes 7 <"$T/good"
sentence 1 'checkpoint 1 in .*keep cannot have rank-7.image written to it: File exists' \
    '... and is not written over'
writes x </dev/null
sentence 1 'RANK: ' '... of a rank'
rm "$keep/1/rank-7.image"

made 1
seal 1
silent 'the first checkpoint'
ok '... is whole' whole 1
is "$(tail -c +21 "$keep/1/checkpoint" | head -c -32 | sha256sum)" \
    "$(sha256sum <"$T/says")" '... and says what it was told'
is "$(there 1) $(stat -c %a "$keep/1/checkpoint")" \
    'checkpoint rank-0.image rank-1.image 600' '... and nothing else is there'
run hector-keep begin "$keep" 1
sentence 1 'checkpoint 1 in .* is there and whole' 'it cannot be begun again'
made 2
seal 2
silent 'the second'
is "$(there)" '1 2' '... and the first'
made 3
echo mine >"$keep/1/notes"
echo mine >"$keep/2/rank-0.image.old"
mkdir "$keep/1/rank-5.image"
seal 3
silent 'the third'
is "$(there) $(there 1)" '1 2 3 notes rank-5.image' \
    '... and of the first what a person has put there'
ok '... the second is whole' whole 2

made 4
mkdir "$keep/5" "$keep/name" "$keep/007"
touch "$keep/5/rank-1.part" "$keep/1/rank-7.image"
seal 4
is "$(there) $(there 2)" 'name 1 2 3 4 5 007 rank-0.image.old' \
    'the fourth: the newest two, what is no number, and what is higher'
rm -r "$keep/1" "$keep/2" "$keep/name" "$keep/007"
seal 4
silent 'the fourth once more'

made 6
printf 'Hector checkpoint 1\nhalf' >"$keep/4/checkpoint"
seal 6
silent 'the sixth, when the one before is damaged'
is "$(there)" '3 6' '... that goes, and the one before stays'
mkdir "$keep/4" "$keep/5"
printf 'Hector checkpoint 9\nof another version' >"$keep/4/checkpoint"
touch "$keep/5/rank-1.part" "$keep/5/checkpoint.new"
made 7
seal 7
is "$(there)" '4 6 7' 'one of another version stays, one that was not finished goes'
rm -r "$keep/4"
run hector-keep begin "$keep" 7
sentence 1 'there and whole' 'a whole one cannot be begun'
run hector-keep begin --first "$keep" 7
sentence 1 'there and whole' '... nor by the first host'

# What an earlier try left.
mkdir "$keep/8" "$keep/9"
touch "$keep/8/rank-0.image" "$keep/9/rank-0.image" "$keep/9/rank-1.part" \
    "$keep/9/checkpoint.new" "$keep/9/mine" "$keep/9/rank-x.image" \
    "$keep/9/xrank-0.image"
echo half >"$keep/9/checkpoint"
run hector-keep begin "$keep" 9
silent 'a try that others begin'
is "$(there 9 | wc -w)" 7 '... nothing is removed'
run hector-keep begin --first "$keep" 9
silent '... that the first host begins'
is "$(there 9) $(there)" 'mine rank-x.image xrank-0.image 6 7 9' \
    '... what is of Hector is removed, here and of lower numbers'

# --------------------------------------------------------------- what is given up
drop()          # NUMBER
{
    run hector-keep drop "$keep" "$1"
}
mkdir "$keep/10" "$keep/11" "$keep/12.dropped" "$keep/mine.dropped"
touch "$keep/10/rank-0.image" "$keep/10/checkpoint.new" "$keep/11/rank-3.part" \
    "$keep/11/mine" "$keep/12.dropped/rank-0.image"
drop 10
silent 'a try that was given up'
drop 11
silent '... one with something of a person in it'
is "$(there) $(there 11)" 'mine.dropped 6 7 9 11 12.dropped mine' '... goes, but for that'
drop 10
silent 'one that is not there'
drop 7
silent 'one that is a checkpoint'
ok '... stays' whole 7
hector-keep drop "$T/no/where" 3
is $? 0 'one in no directory'
rm -r "$keep/11"
hector-keep begin --first "$keep" 13
is "$(there)" 'mine.dropped 6 7 9 13' 'what nobody came to remove, the next one removes'
rm -r "$keep/13" "$keep/mine.dropped"

# By two hosts, while a third one makes it a checkpoint: it is whole, or is not there.
lost='' n=0 both=0
while n=$((n + 1)); [ $n -le 40 ]; do
    made 20
    hector-keep seal "$keep" 20 <"$T/says" 2>"$T/err" &
    sealing=$!
    while [ $((n % 2)) = 1 ] && [ ! -e "$keep/20/checkpoint.new" ] &&
        kill -0 $sealing 2>/dev/null; do :; done
    hector-keep drop "$keep" 20 2>"$T/err.1" &
    dropping=$!
    hector-keep drop "$keep" 20 2>"$T/err.2" || lost="$lost $n:$(cat "$T/err.2")"
    wait $dropping || lost="$lost $n:$(cat "$T/err.1")"
    if wait $sealing; then
        whole 20 || lost="$lost $n:half"
        both=$((both + 1))
        rm -r "$keep/20"
    else
        [ ! -e "$keep/20" ] || lost="$lost $n:$(there 20)"
    fi
    hector-keep check "$keep" 7 0-1 || lost="$lost $n:older"
done
older='7 9'             # who is whole has removed what is older than two
[ $both -gt 0 ] || older='6 7 9'
is "$lost $(there)" " $older" \
    "one that is sealed and dropped at once, of $((n - 1)) times whole $both times"

# -------------------------------------------------------------- what is refused
refuse_seal()   # PATTERN DESCRIPTION [NUMBER]: nothing has changed
{
    before=$(cd "$keep" && find . | sort)
    seal "${3:-9}"
    sentence 1 "$1" "$2"
    is "$(cd "$keep" && find . | sort)" "$before" '... and nothing else'
}
ln "$T/good" "$keep/9/rank-0.image"
kept 9 "$size" "$size" >"$T/says"
refuse_seal 'has no rank-1.image' 'an image that is not there'
head -c 1000 "$T/good" >"$keep/9/rank-1.image"
refuse_seal 'has no rank-1.image as it was written: it is shorter' 'a short one'
kept 9 "$size" 5:1000 >"$T/says"
refuse_seal 'tasks by rank' 'tasks that are not counted from 0'
kept 9 >"$T/says"
refuse_seal 'does not have all' 'no tasks'
kept 8 "$size" 1000 >"$T/says"
refuse_seal 'of checkpoint 8, not of 9' 'another number'
printf '\377\377' >"$T/says"
refuse_seal 'no packed Checkpoint' 'something else'
: >"$T/says"
refuse_seal 'of checkpoint 0, not of 9' 'nothing'
kept 12 "$size" >"$T/says"
refuse_seal 'checkpoint 12 in ' 'a directory that is not there' 12
run hector-keep begin /dev/null 1
sentence 1 '/dev/null' 'a directory that is none'
run hector-keep begin "$T/good" 1
sentence 1 'good' 'a file'
run hector-keep begin /proc/none 1
sentence 1 '/proc/none' 'where nothing can be made'
for words in '' begin 'begin x' 'begin x 0' 'begin x 4294967296' 'begin x 1 2' \
    'check x 1' 'write x 1' 'seal x y' 'seal --first x 1' 'drop x' 'drop x 1 2' \
    'other x 1' '--wrong'; do
    run hector-keep $words
    is "$status $(out)" '2 ' "hector-keep $words: wrong usage"
done
run hector-keep check "$keep" 6 all
sentence 1 'ranks are numbers' 'check needs ranks'
run hector-keep check "$keep" 6 0-
sentence 1 '0-' '... that are ranks'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$T" "$T/a" "$T/a/b" "$keep"
    run setpriv --reuid=65534 --regid=65534 --clear-groups "$BIN/hector-keep" \
        begin "$keep" 9
    sentence 1 'cannot keep checkpoints in .*Permission denied' 'another user'
else
    skip 'another user' 'not root, or no setpriv'
fi

# ------------------------------------------------- the end, and what fails, anywhere
# The second checkpoint is there and stays, whatever becomes of the fourth; what
# is left of the first is whole or none; the fifth comes to be after all of it.
each_call()     # ENDS_AT|FAILS_AT
{
    lost='' n=0
    while n=$((n + 1)); do
        rm -rf "$keep" "$T/hit"
        mkdir "$keep"
        made 1 && seal 1 && made 2 && seal 2 && made 4
        mkdir "$keep/3"
        touch "$keep/3/rank-0.image"
        status=0
        env "$1=$n" HIT="$T/hit" LD_PRELOAD="$T/ends_at.so" hector-keep seal \
            "$keep" 4 <"$T/says" >"$T/out" 2>"$T/err" || status=$?
        [ -e "$T/hit" ] || break
        case $1,$status,$(grep -c '^hector-keep: .*No space left' "$T/err") in
        ENDS_AT,77,0) ;;
        FAILS_AT,1,1) [ ! -e "$keep/4/checkpoint.new" ] || lost="$lost $n:left" ;;
        FAILS_AT,0,1) whole 4 || lost="$lost $n:new" ;;
        *) lost="$lost $n:$status:$(cat "$T/err")" ;;
        esac
        whole 2 || lost="$lost $n:old"
        [ ! -e "$keep/1/checkpoint" ] || whole 1 || lost="$lost $n:half"
        made 5
        seal 5
        [ "$status$(cat "$T/err")" = 0 ] && whole 5 || lost="$lost $n:next"
        [ "$(there | wc -w)" = 2 ] || lost="$lost $n:$(there)"
    done
    is "$lost $((n > 10))" ' 1' "$1, each of $((n - 1)) calls: one is whole"
}
each_call ENDS_AT
each_call FAILS_AT

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    export -p >"$T/names"
    cat >"$T/full.sh" <<'END'
. "$T/names"
keep=$T/small/keep
mount -t tmpfs -o size=$((size * 3 + 65536)) small "$T/small" || exit 7
mkdir "$keep"
put()           # NUMBER: without the second name that a file system may not give
{
    hector-keep begin "$keep" "$1" && cp "$T/good" "$keep/$1/rank-0.image" &&
        "$APPS/kept" "$1" "$size" >"$T/says"
}
put 1 && hector-keep seal "$keep" 1 <"$T/says" && put 2 || exit 8
dd if=/dev/zero of="$T/small/fill" bs=4k 2>/dev/null
hector-keep seal "$keep" 2 <"$T/says" && exit 9
hector-keep check "$keep" 1 0 || exit 10
[ "$(ls "$keep/1" "$keep/2" | xargs)" = \
    "$keep/1: checkpoint rank-0.image $keep/2: rank-0.image" ] || exit 11
rm "$T/small/fill"
hector-keep seal "$keep" 2 <"$T/says" && hector-keep check "$keep" 2 0
END
    mkdir "$T/small"
    run env size="$size" T="$T" unshare -m sh "$T/full.sh"
    is $status 0 'a full disk: the older one is there, and the next once there is room'
    like "$T/err" '^hector-keep: checkpoint 2 in .*: No space left on device$' \
        '... with a sentence'
    is "$(grep -c . "$T/err")" 1 '... which is all'
else
    skip 'a full disk' 'nothing can be mounted here: THIS WAS NOT TESTED'
fi

# ------------------------------------------------------------------------- cut
goes_on()       # [OPTION...]: a writer, from its image
{
    status=0
    printf g >&7
    hector-restore "$@" "$T/img" <&7 >"$T/out" 2>"$T/err" || status=$?
}
grown()         # all files have more in them
{
    echo later >>"$T/at/input"
    echo log later >>"$T/at/log"
    echo and later >>"$T/at/both"
}
files()
{
    cat "$T/at/log" "$T/at/both" "$T/at/input" | xargs
}
ok 'an image of a process with files' image 1
is "$(files)" 'log 1 both 1 input' '... as they were then'
grown
goes_on
is "$status $(files)" \
    '0 log 1 log later log 2 both 1 both 2 er input later' 'without --cut they stay'

ok 'another' image 1
cp "$T/img" "$T/good"
grown
goes_on --cut
is "$status $(files)" '0 log 1 log 2 both 1 both 2 input later' \
    'with --cut those that it wrote to are as long as they were'

grown
not_cut()       # PATTERN DESCRIPTION: before anything was changed
{
    before=$(files)
    run hector-restore --cut "$T/img"
    is "$status|$(out)|$(grep -c 'hector-restore' "$T/err")" '125||1' "$2"
    like "$T/err" "$1" '... with a sentence'
    is "$(files)" "$before" '... and nothing was cut'
}
printf 'bot' >"$T/at/both"
not_cut 'had (opened|written to) .*at/both, which is shorter now' 'one is shorter'
rm "$T/at/both"
touch "$T/at/log"
before=$(cat "$T/at/log")
run hector-restore --cut "$T/img"
sentence 125 'had opened .*at/both, but there is no such file: put it back' \
    'one is not there'
is "$(cat "$T/at/log")" "$before" '... and nothing was cut'
echo both 1 and more >"$T/at/both"
rm "$T/img"
flip $(($(stat -c %s "$T/good") - 1))
not_cut 'is damaged' 'the last byte of the image is another'
rm "$T/img"
head -c $(($(stat -c %s "$T/good") - 1000)) "$T/good" >"$T/img"
not_cut 'ends too early' 'it is cut off itself'
cp "$T/good" "$T/img"
# shellcheck disable=SC2002 # a pipe is what this is about
cat "$T/img" | hector-restore --cut fd:9 9<&0 >"$T/out" 2>"$T/err" <&7
is "$(grep -c 'fd:9: is no plain file, which is what --cut is for' "$T/err")" 1 \
    'nor is a file cut when the image comes by a pipe'
printf g >&7
hector-restore --cut fd:9 9<"$T/img" >"$T/out" 2>"$T/err" <&7
is "$? $(cat "$T/at/log" "$T/at/both" | xargs)" \
    '0 log 1 log 2 both 1 both 2' '... and from a descriptor of a file it is'
exec 7>&-
done_testing
