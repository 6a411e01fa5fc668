# The page of hector stack --html in a real browser: a class is picked, a
# branch folded, a function searched for, the inside of MPI shown, the source
# of a function seen.
# limit: 120
. "${0%/*}/../lib/t.sh"
need gcc
browser=
for b in chromium chromium-browser google-chrome; do
    command -v $b >/dev/null 2>&1 && browser=$b && break
done
[ -n "$browser" ] || skip_all 'no chromium here'

cat >"$T/p.c" <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile int go = 1;
__attribute__((noinline)) static void wait_progress(void)
{
    while (go)
        pause();
}
__attribute__((noinline)) static void MPI_Barrier(void) { wait_progress(); }
__attribute__((noinline)) static void compute(void) { while (go) pause(); }
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "w");
    if (f)
        fclose(f);
    if (argc > 2)
        compute();
    else
        MPI_Barrier();
    return go;
}
END
gcc -g -O0 -o "$T/p" "$T/p.c"
start a "$T/p" "$T/a.up"; a=$started
start b "$T/p" "$T/b.up"; b=$started
start c "$T/p" "$T/c.up" x; c=$started
settled()
{
    hector stack --pid "$a,$b,$c" --folded >"$T/settled" 2>&1 &&
        ! grep -Eqv '^main;(compute;|MPI_Barrier )' "$T/settled"
}
ok 'the programs run' wait_for settled
run hector stack --pid "$a,$b,$c" --lines --html
cp "$T/out" "$T/page.html"
cat >>"$T/page.html" <<'END'
<script>
const rows = () => [...document.querySelectorAll(".row")]
    .map((r) => r.dataset.function).join(" ");
const result = document.createElement("pre");
const say = (what, is) => result.append(what + "=" + is + "\n");
const click = (e) => e.click();
say("rows", rows().includes("compute") && rows().includes("MPI_Barrier"));
say("classes", document.querySelectorAll(".class").length);
say("cut", !rows().includes("wait_progress"));
click(document.querySelectorAll(".class")[0]);
say("picked", rows().includes("compute") && !rows().includes("MPI_Barrier"));
click(document.querySelectorAll(".class")[0]);
say("unpicked", rows().includes("MPI_Barrier"));
click($("close"));
say("folded", !rows().includes("compute"));
$("search").value = "COMPUTE";
$("search").dispatchEvent(new Event("input"));
say("found", rows().includes("compute") && $("hits").textContent);
say("marked", document.querySelectorAll(".row.hit").length);
$("cut").checked = false;
$("cut").dispatchEvent(new Event("change"));
say("whole", rows().includes("wait_progress"));
click([...document.querySelectorAll(".name")]
    .find((e) => e.textContent === "compute"));
say("source", $("detail").textContent.includes("while (go) pause();"));
document.body.append(result);
</script>
END
HOME=$T/home timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
    --user-data-dir="$T/browser" --dump-dom "file://$T/page.html" \
    >"$T/dom" 2>"$T/browser.err"
if ! grep -q '</html>' "$T/dom"; then
    skip 'a page in the browser' "$browser does not run here"
else
    for w in rows=true classes=2 cut=true picked=true unpicked=true \
        folded=true 'found=1 found' marked=1 whole=true source=true; do
        like "$T/dom" "(^|>)$w\$" "$w"
    done
fi
done_testing
