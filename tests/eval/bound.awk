# bound.awk - how high may a rate be that was seen k times in n runs?
#
# The upper end of the one-sided 95 % interval of Clopper and Pearson ("The use of
# confidence or fiducial limits illustrated in the case of the binomial",
# Biometrika 26, 1934): the rate at which so few would be seen in 5 of 100 cases.
# With none in n it is 1 - 0.05^(1/n), about 3/n.

function tail(k, n, p,    i, c, s)      # probability of at most k
{
    c = (1 - p) ^ n
    for (i = 0; i <= k; i++) { s += c; c *= (n - i) / (i + 1) * p / (1 - p) }
    return s
}

function bound(k, n,    low, high, p, i)
{
    if (!n || k >= n) return 1
    low = k / n; high = 1
    for (i = 0; i < 60; i++) {
        p = (low + high) / 2
        if (tail(k, n, p) > 0.05) low = p; else high = p
    }
    return low
}
