# What measurements on a busy machine say: the quickest quarter of the runs, whatever
# disturbs the others, and how far off that may be.
# limit: 10
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/spread.sh"

runs()          # RATIO PAIRS: ones of 1 and of RATIO, which others make longer by lot
{
    awk -v ratio="$1" -v n="$2" 'BEGIN {
        srand(7)
        while (n--) {
            a = ratio * (1 + rand() ^ 4)
            b = 1 + rand() ^ 4
            printf "word %.5f %.5f %.5f\n", a / b, a, b
        }
    }' >"$T/runs"
}
says() { quickest word "$T/runs" | tee "$T/said"; echo; }
within()        # LEAST MOST: both ends, and what is between is as it should
{
    awk -v least="$1" -v most="$2" '{ gsub(",", "") }
        !($5 <= $1 && $1 <= $7 && least <= $5 && $7 <= most) { exit 1 }' "$T/said" ||
        { cat "$T/said" >&2; false; }
}

runs 1 40
says >"$T/out"
ok 'no difference is none' within 0.99 1.01
runs 1.05 40
says >"$T/out"
ok 'one of 5 % is one' within 1.04 1.06
awk '{ $3 *= NR % 2 ? 4 : 1; print }' "$T/runs" >"$T/more"
mv "$T/more" "$T/runs"
says >"$T/out"
ok '... and no other one when half of the runs take four times as long' within 1.03 1.3
runs 1.05 40
sed 's/word/other/' "$T/runs" >"$T/more"
runs 1 3
cat "$T/more" >>"$T/runs"
is "$(says)" 'not measured, of 3 pairs' 'three pairs say nothing, and others are not taken'
done_testing
