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

# quickest WORD FILE: behind that word are a ratio and the two times that it is of. What
# others do to a machine makes runs longer, and never shorter: so the mean of the quickest
# quarter of the ones, against that of the others, whichever were pairs. And where it lies
# when as many pairs are drawn again and again from these, with a probability of 95 %
# (Efron, "Bootstrap methods", 1979).
quickest()
{
    awk -v word="$1" '
        function quarter(t, of,    i, k, v, sum, many) {
            many = int((n + 3) / 4)
            for (i = 1; i <= n; i++) {          # sorted as they come
                v = t[of[i]]
                for (k = i; k > 1 && sorted[k - 1] > v; k--)
                    sorted[k] = sorted[k - 1]
                sorted[k] = v
            }
            for (i = 1; i <= many; i++)
                sum += sorted[i]
            return sum / many
        }
        function ratio(of) { return quarter(a, of) / quarter(b, of) }
        $1 == word { n++; a[n] = $3; b[n] = $4; all[n] = n }
        END {
            if (n < 4) {
                printf "not measured, of %d pairs", n
                exit
            }
            srand(1)
            for (draw = 1; draw <= 1000; draw++) {
                for (i = 1; i <= n; i++)
                    some[i] = 1 + int(rand() * n)
                v = ratio(some)
                for (k = draw; k > 1 && drawn[k - 1] > v; k--)
                    drawn[k] = drawn[k - 1]
                drawn[k] = v
            }
            printf "%.3f, 95 %% in %.3f .. %.3f", ratio(all), drawn[25], drawn[976]
        }' "$2"
}
