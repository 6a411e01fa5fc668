# spread.sh - what measurements of pairs say.
# shellcheck shell=sh

# spread WORD FILE UNIT: of the numbers behind that word the median, and where that of
# all that might have been measured lies with a probability of 95 %, whatever the noise
# is like: between the order statistics that the binomial distribution says.
spread()
{
    awk -v word="$1" '$1 == word { print $2 }' "$2" | sort -n | awk -v unit="${3:+ $3}" '
        { v[++n] = $1 }
        END {
            # of n throws of a coin, fewer than k are heads with 2.5 % at most
            below = p = exp(-n * log(2))
            for (k = 0; below <= 0.025 && k < n; k++) {
                p = p * (n - k) / (k + 1)
                below += p
            }
            if (k < 1)
                printf "not measured, of %d pairs", n
            else
                printf "%.3f%s, 95 %% in %.3f .. %.3f", v[int((n + 1) / 2)], unit,
                    v[k], v[n + 1 - k]
        }'
}
