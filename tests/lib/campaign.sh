# campaign.sh - for scripts that run jobs of their own, one after the other: a directory,
# which goes when they end, and so does $runner, the job that runs. Sourced, with $build;
# the series of draw() begins with $seed.
# shellcheck shell=sh disable=SC2034,SC2154 # by who reads it; $build and $seed are theirs
dir=$(mktemp -d)
runner=
trap 'test -z "$runner" || kill "$runner" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HECTOR_DB="$dir/run.db"
PATH=$build/bin:$PATH

draw()          # LIMIT: the next number below it
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
