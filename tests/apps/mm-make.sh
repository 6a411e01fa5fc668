#!/bin/sh
# mm-make.sh - write a matrix file for mm: M K N, then A and B with small
# whole numbers, the same ones every time.
#
# usage: mm-make.sh M K N >FILE
awk -v m="${1:-100}" -v k="${2:-100}" -v n="${3:-100}" '
function row(columns,    j)
{
    for (j = 0; j < columns; j++) {
        x = (x * 1103515245 + 12345) % 2147483648
        printf "%d%s", int(x / 65536) % 10, j + 1 < columns ? " " : "\n"
    }
}
BEGIN {
    x = 1999
    print m, k, n
    for (i = 0; i < m; i++)
        row(k)
    for (i = 0; i < k; i++)
        row(n)
}'
