#!/bin/sh
# conf.sh - every key that a program reads is in the example hector.conf and
# in hector.conf(5), and no other one.
. "${0%/*}/../lib/lint.sh"

keys()          # "section name" of the tables of struct conf_key
{
    # shellcheck disable=SC2046 # one word a file
    sed -n 's/^ *{ "\([a-z]*\)", "\([a-z_]*\)", CONF_.*/\1 \2/p' \
        $(sources '^(proto|master|slave|redirector)/.*\.c$') | sort
}
example()
{
    sed -n 's/^\[\([a-z]*\)\]/[ \1/p; s/^#\([a-z_]*\) = *.*/\1/p
        s/^#\([a-z_]*\) =$/\1/p' config/hector.conf |
        awk '$1 == "[" { s = $2; next } { print s, $1 }' | sort
}
page()
{
    sed -n 's/^\.Ss Section \([a-z]*\)/[ \1/p; s/^\.It Cm \([a-z_]*\)/\1/p' \
        config/hector.conf.5 |
        awk '$1 == "[" { s = $2; next } { print s, $1 }' | sort
}
differ()        # NAME TEXT: against the keys
{
    { keys; printf '%s\n' "$2"; } | sort | uniq -u |
        sed "s|\$|: only in the sources or only in $1|"
}
clean 'there are keys' "$(keys | grep -q . || echo none)"
clean 'hector.conf has every key' "$(differ hector.conf "$(example)")"
clean 'hector.conf(5) has every key' "$(differ 'hector.conf(5)' "$(page)")"
finish
