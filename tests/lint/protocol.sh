#!/bin/sh
# protocol.sh - each message of messages.def is a message of hct.proto, of
# hector-proto(7) as it is built, and in the corpus of a fuzzer; and all other
# messages of hct.proto are parts of these.
. "${0%/*}/../lib/lint.sh"

build=${HECTOR_BUILD:-build}

listed()        # "17 TaskSignal" for each message of the program
{
    awk '/^ *[0-9]/ { print $1, $2 }' proto/messages.def
}
schema()        # the messages of hct.proto, but for those in others
{
    sed -n 's/^message \([A-Za-z]*\) .*/\1/p' proto/hct.proto
}
parts()         # the types of fields, and what travels in a field of bytes
{
    sed -n 's/^ *\(repeated \)*\([A-Z][A-Za-z]*\) [a-z_]* = .*/\2/p' \
        proto/hct.proto
    printf '%s\n' CallTree Model StackAsk ModelAsk Stack Scores Whereabouts
}

clean 'messages.def lists messages of hct.proto' \
    "$(listed | cut -d ' ' -f 2 | grep -vxF "$(schema)")"
clean 'a message of hct.proto is in messages.def, or part of one that is' \
    "$(schema | grep -vxF "$(listed | cut -d ' ' -f 2; parts)")"
if [ -e "$build/proto/hector-proto.7" ]; then
    clean 'hector-proto(7) has a table of all of them' \
        "$({ listed; sed -n 's/^\.It \([0-9]*\) Ta \([A-Za-z]*\) Ta .*/\1 \2/p' \
            "$build/proto/hector-proto.7"; } | sort | uniq -u)"
else
    skip 'hector-proto(7) has a table of all of them' 'not built'
fi

# Of conversations: who, what, a length of two bytes, and so many bytes.
said()          # the numbers of all messages in the corpora of conversations
{
    for f in tests/fuzz/master.corpus/* tests/fuzz/slave.corpus/* \
        tests/fuzz/streams.corpus/* tests/fuzz/uplink.corpus/* \
        tests/fuzz/links.corpus/* tests/fuzz/reduce.corpus/* \
        tests/fuzz/operator.corpus/*; do
        od -An -v -tu1 "$f" | tr -s ' ' '\n' | grep . | awk '
            { b[n++] = $1 }
            END { for (i = 0; i + 4 <= n; i += 4 + b[i + 2] + 256 * b[i + 3])
                      print b[i + 1] }'
    done | sort -u
}
clean 'every message is in the corpus of a fuzzer (make seeds)' \
    "$({ listed | cut -d ' ' -f 1; said; said; } | sort | uniq -u)"
finish
