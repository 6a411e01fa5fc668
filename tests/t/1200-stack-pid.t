# hector stack --pid: the merged tree of processes that belong to no job, in
# all shapes; what cannot be looked at; no daemon.
. "${0%/*}/../lib/t.sh"
need strip script
may_trace || skip_all 'the kernel refuses ptrace here'

# Two that are in inner(), below main, and one that is elsewhere.
cat >"$T/p.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int go = 1;
__attribute__((noinline)) static void inner(void) { while (go) usleep(1000); }
__attribute__((noinline)) static void other(void) { while (go) pause(); }
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "w");
    if (f)
        fclose(f);
    if (argc > 2)
        other();
    else
        inner();
    return go;
}
END
gcc -g -O1 -o "$T/p" "$T/p.c" && cp "$T/p" "$T/bare" && strip "$T/bare"
start a "$T/p" "$T/a.up"; a=$started
start b "$T/p" "$T/b.up"; b=$started
start c "$T/p" "$T/c.up" other; c=$started
start d "$T/bare" "$T/d.up"; d=$started
wait_for '[ -e a.up ] && [ -e b.up ] && [ -e c.up ] && [ -e d.up ]'
# Each is where it stays, and no longer in what made its file.
settled()
{
    hector stack --pid "$a,$b,$c" --folded >"$T/settled" 2>&1 &&
        [ "$(grep -c 'main;\(inner\|other\);' "$T/settled")" -ge 2 ] &&
        ! grep -Eqv 'main;(inner|other);' "$T/settled"
}
ok 'the programs run' wait_for settled

run hector stack --pid "$a,$b,$c" --lines
is "$status" 0 'three processes'
like "$T/out" '3 processes, [0-9] classes$' '... in classes'
like "$T/out" '^ +1 +\[[0-9]+\] +main > other \(p.c:6\)' 'the odd one first'
like "$T/out" "^ +2 +\[[0-9,-]+\] +inner  p.c:5" 'two in one function'
is "$(awk '/CALLS/ { on = 1; next } on && NF { print $4; exit }' "$T/out")" \
    'p.c:13' 'the tree begins with the rare branch'

# On a terminal: no line is wider than it is, and there are colours.
esc=$(printf '\033')
on_terminal()   # COLUMNS OPTION...: into $T/out, as it is, and $T/plain
{
    columns=$1
    shift
    run script -qec "stty cols $columns; hector stack $*" /dev/null
    tr -d '\r' <"$T/out" | sed "s/$esc\[[0-9;]*m//g" >"$T/plain"
}
starts() { awk -v w="$1" '(n = index($0, w)) { print n; exit }' "$T/plain"; }
unset NO_COLOR
for columns in 60 80; do
    on_terminal "$columns" --lines --samples 2 --pid "$a,$b,$c,4194303"
    is "$status" 0 "a terminal of $columns columns"
    is "$(awk -v w="$columns" 'length($0) > w' "$T/plain")" '' '... is enough'
    ok '... there are colours' grep -q "$esc\[31m" "$T/out"
    is "$(starts CALLS)" "$(awk 'on { print match($0, /main|inner|other/); exit }
        /CALLS/ { on = 1 }' "$T/plain")" '... and columns below their titles'
done
on_terminal 40 --pid "$c,4194303"
ok 'a narrow one cuts lines' grep -Eq '^.{39}~$' "$T/plain"
is "$(awk '/^\[4194303\]/ { on = 1 } on' "$T/plain")" \
    "[4194303]: there is no such process any
  more" '... but no sentences'
umlauts=$(printf '\303\244%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
printf 'static volatile int go = 1;
__attribute__((noinline)) static void %s(void) { while (go); }
int main(void) { %s(); return go; }\n' "$umlauts" "$umlauts" >"$T/u.c"
if gcc -g -O0 -o "$T/u" "$T/u.c" 2>/dev/null; then
    start u "$T/u"
    ok 'names with umlauts' wait_for \
        'hector stack --pid $started --folded | grep -q "main;$umlauts"'
    for columns in 32 33; do
        on_terminal "$columns" --pid "$started"
        ok "... are not cut within one at $columns columns" \
            iconv -f UTF-8 -t UTF-8 -o "$T/same" "$T/plain"
        ok '... but are cut' grep -q '~$' "$T/plain"
    done
    kill "$started"
fi
NO_COLOR=1 on_terminal 80 --pid "$a,$b,$c"
is "$status,$(grep -c "$esc" "$T/out")" 0,0 'NO_COLOR: no colours'
NO_COLOR='' on_terminal 80 --pid "$a,$b,$c"
ok '... if it is not empty' grep -q "$esc\[31m" "$T/out"
run hector stack --lines --pid "$a,$b,$c"
is "$status,$(grep -c "$esc" "$T/out")" 0,0 'a pipe: no colours'

run hector stack --pid "$d"
is "$status" 0 'a stripped program'
like "$T/out" ' bare\+0x[0-9a-f]+' '... has offsets'

run hector stack --pid "$a-$a,$c" -j --samples 4 --interval 1
is "$(sqlite3 :memory: "SELECT json_extract(j, '\$.tasks'),
    json_extract(j, '\$.samples'), json_extract(j, '\$.stops.ptrace')
    FROM (SELECT CAST(readfile('$T/out') AS TEXT) AS j)")" '2|4|8' 'JSON'
is "$(sqlite3 :memory: "SELECT DISTINCT json_extract(n.value, '\$.count'),
    json_extract(n.value, '\$.ranks'), json_extract(n.value, '\$.traces')
    FROM json_each(CAST(readfile('$T/out') AS TEXT), '\$.nodes') n
    WHERE json_extract(n.value, '\$.function') = 'other'")" \
    "1|$c|[1,1,1,1]" '... with the traces of each sample'

run hector stack --pid "$a,$b,$c" --lines --dot
if command -v dot >/dev/null; then
    ok 'Graphviz draws it' dot -Tsvg -o "$T/dot.svg" "$T/out"
    like "$T/dot.svg" 'inner@p.c:5' '... with labels'
else
    skip 'Graphviz draws it' 'no dot here'
fi
like "$T/out" 'bv="\[[0-9,-]+\]", count="2", rep="[0-9]+"' "... STAT's names"
# What STAT's viewer writes into each node, made from the attributes as it does;
# it is what the labels say.
as_stat()       # LABEL of plain Graphviz|LABEL of STAT's viewer
{
    awk 'function of(name, v) {
            v = $0
            if (!sub(".*[[ ]" name "=\"", "", v))
                return "no " name
            sub("\".*", "", v)
            return v
        }
        function base(path) { sub(".*/", "", path); return path }
        /^    [1-9][0-9]* \[/ {
            label = of("function")
            if (of("source") != "(null)")
                label = label "@" base(of("source")) ":" of("line")
            else if (of("module") != "(null)")
                label = base(of("module")) of("offset")
            print of("label") "|" label
        }' "$T/out" >"$T/labels"
    awk -F '|' '$1 != $2' "$T/labels"
}
is "$(as_stat)" '' "... STAT's viewer says the same"
ok '... with lines' grep -q '^inner@p.c:5|' "$T/labels"
run hector stack --pid "$a,$c,$d" --dot
is "$(as_stat)" '' '... and without lines'
ok '... of functions' grep -q '^inner|' "$T/labels"
ok '... and of stripped programs' grep -Eq '^bare\+0x[0-9a-f]+\|' "$T/labels"
if command -v dot >/dev/null; then
    ok '... which Graphviz draws' dot -Tsvg -o "$T/dot.svg" "$T/out"
else
    skip '... which Graphviz draws' 'no dot here'
fi
run hector stack --pid "$a,$b,$c" --svg
like "$T/out" '^<svg ' 'SVG'
like "$T/out" '<title>inner' '... with functions'
run hector stack --pid "$a,$b,$c" --lines --html
like "$T/out" '^<!DOCTYPE html>' 'HTML'
like "$T/out" 'while \(go\) pause' '... with the source'
is "$(grep -Ec '(src|href)=' "$T/out")" 0 '... that needs nothing else'

run hector stack --pid "$a" --pid 4194303
is "$status" 1 'a process that is not there'
like "$T/out" '\[4194303\]: there is no such process' '... is named'
run hector stack --pid "$a,4194303"
is "$status" 0 '... and does not hinder the others'

kill -STOP "$a"
wait_for '[ "$(cut -d " " -f 3 "/proc/$a/stat")" = T ]'
run hector stack --pid "$a"
like "$T/out" '\[[0-9]*\]: it is stopped by a signal' 'a stopped process'
like "$T/out" ' inner$' '... has its stack'
is "$(cut -d ' ' -f 3 "/proc/$a/stat")" T '... and stays stopped'
kill -CONT "$a"

for words in '' '1 2' 'x' '7 --pid 1' '--pid x' '--pid 1 --dot --svg' \
    '-j --dot --pid 1' '--samples 0 --pid 1' '--samples x --pid 1'; do
    # shellcheck disable=SC2086 # words are wanted
    run hector stack $words
    ok "refused: stack $words" test "$status" -gt 0
    is "$(grep -c '^hector' "$T/err")" 1 '... in one sentence'
done
run hector ps --lines
is "$status" 2 'an option of another command'
like "$T/err" 'ps has no option --lines' '... is named'
done_testing
