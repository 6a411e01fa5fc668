#!/bin/sh
# conf.sh - every key that a program reads is in the example hector.conf, with
# its default, and in hector.conf(5), and no other one.
. "${0%/*}/../lib/lint.sh"

defaults()      # "section name default" of the tables of struct conf_key
{
    # shellcheck disable=SC2046 # one word a file
    sed -n '/^ *{ "[a-z]*", "[a-z_]*", CONF_/ { /}/!N; s/\n */ /
        s/^ *{ "\([a-z]*\)", "\([a-z_]*\)", CONF_[^"]* "\([^"]*\)".*/\1 \2 \3/p
        }' $(sources '^(proto|master|slave|redirector)/.*\.c$') |
        sed 's/ *$//' | sort
}
keys()
{
    defaults | cut -d ' ' -f 1,2
}
example()       # the same of hector.conf
{
    sed -n 's/^\[\([a-z]*\)\]/[ \1/p; s/^#\([a-z_]*\) = *\(.*\)/\1 \2/p
        s/^#\([a-z_]*\) =$/\1/p' config/hector.conf |
        awk '$1 == "[" { s = $2; next } { print s, $0 }' | sed 's/ *$//' | sort
}
page()
{
    sed -n 's/^\.Ss Section \([a-z]*\)/[ \1/p; s/^\.It Cm \([a-z_]*\)/\1/p' \
        config/hector.conf.5 |
        awk '$1 == "[" { s = $2; next } { print s, $1 }' | sort
}
differ()        # NAME COMMAND TEXT: against what COMMAND says
{
    { $2; printf '%s\n' "$3"; } | sort | uniq -u |
        sed "s|\$|: only in the sources or only in $1|"
}
clean 'there are keys' "$(keys | grep -q . || echo none)"
clean 'hector.conf has every key, with its default' \
    "$(differ hector.conf defaults "$(example)")"
clean 'hector.conf(5) has every key' "$(differ 'hector.conf(5)' keys "$(page)")"
finish
