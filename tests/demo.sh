#!/bin/sh
# demo.sh - what `make demo` shows: the example of the Hector paper under
# hector-run, its time stamps between its output, and a question to the
# database afterwards.
#
# usage: demo.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "${0%/*}/apps"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
HECTOR_DB=$dir/demo.db
export HECTOR_DB
PATH=$build/bin:$PATH

say()           # paragraph of text, or a command as a person would type it
{
    printf '\n'
    case $1 in
    '$ '*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$1" | fmt -w 76 | sed 's/^/# /' ;;
    esac
}

say "Four tasks multiply two matrices. hector-run starts them as one Unix \
command and shows, between what they print, the fourth stream, stdtim: when \
task N entered and left each MPI call that it tagged with HCT_RT_Tag. The \
fields are task, text of the tag, its number, seconds since 1970."
say '$ hector-run -n 4 --stdtim=- ./mm mm.small 1000'
hector-run -n 4 --oversubscribe --stdtim=- "$build/apps/mm" mm.small 1000

say "The same stamps are in a database, for this run and all later ones. \
Which of the tagged calls took longest, and where did the others wait?"
query='SELECT rank AS task, label, call,
      (exit_ns - enter_ns) / 1000 AS microseconds
      FROM events ORDER BY microseconds DESC LIMIT 6'
say "\$ hector sql \"$query\""
hector sql "$query"

say "How much of its life did each task spend inside MPI?"
say '$ hector ps 1'
hector ps 1

say "Runs of your own go to ~/.local/state/hector/hector.db; 'hector ps' lists \
them. This one was kept in a temporary file."
