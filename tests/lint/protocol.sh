#!/bin/sh
# protocol.sh - hector-proto(7) lists the messages that message.h has, by the
# same numbers, and message.h never uses a number twice. Whoever speaks for a
# dead slave knows all that a slave may be told, and each message is in the
# corpus of a fuzzer.
. "${0%/*}/../lib/lint.sh"

numbers()       # "17 TaskSignal" for each message of the program
{
    sed -n 's/^ *X(\([0-9]*\), [A-Z_]*, \([a-z_]*\)).*/\1 \2/p' \
        proto/link/message.h | awk '{
            n = split($2, part, "_"); name = ""
            for (i = 1; i <= n; i++)
                name = name toupper(substr(part[i], 1, 1)) substr(part[i], 2)
            print $1, name
        }'
}

manual()        # the same for each message of the manual
{
    sed -n 's/^\.It \([0-9]*\) Ta \([A-Za-z]*\) Ta .*/\1 \2/p' \
        proto/hector-proto.7
}

clean 'hector-proto(7) lists the messages of message.h' \
    "$({ numbers; manual; } | sort | uniq -u)"
clean 'no number means two messages' \
    "$(numbers | cut -d ' ' -f 1 | sort | uniq -d)"
routes()        # FILE: the messages that it has handlers for
{
    sed -n 's/.*{ MESSAGE_\([A-Z_]*\),.*/\1/p' "$1" | sort -u
}
clean 'slave/guard/lastwords.c takes every order that slave/orders.c takes' \
    "$({ routes slave/orders.c; routes slave/guard/lastwords.c; routes slave/guard/lastwords.c; } |
        sort | uniq -u)"

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
    "$({ numbers | cut -d ' ' -f 1; said; said; } | sort | uniq -u)"
finish
