#!/bin/sh
# protocol.sh - hector-proto(7) lists the messages that message.h has, by the
# same numbers, and message.h never uses a number twice.
. "${0%/*}/../lib/lint.sh"

numbers()       # "17 TaskSignal" for each message of the program
{
    sed -n 's/^ *X(\([0-9]*\), [A-Z_]*, \([a-z_]*\)).*/\1 \2/p' \
        proto/message.h | awk '{
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
finish
