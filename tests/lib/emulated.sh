# emulated.sh - the numbers of $answer, what hector-emulate -j has said. Sourced.
# shellcheck shell=sh disable=SC2154 # $answer is of who asks
field()         # NAME
{
    printf '%s\n' "$answer" | sed -n "s/.*\"$1\":\(-*[0-9]*\).*/\1/p"
}
of()            # PHASE NAME: of one phase
{
    printf '%s\n' "$answer" |
        sed -n "s/.*\"$1\":{[^}]*\"$2\":\([0-9]*\).*/\1/p"
}
