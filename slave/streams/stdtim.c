/* stdtim.c - the line format of the stdtim stream. */
#include "slave/streams/stdtim.h"

#include <inttypes.h>
#include <string.h>

#include "proto/base/clock.h"

static void add_escaped(struct str *to, const char *text, size_t n)
{
    while (n) {
        size_t plain = 0;

        while (plain < n && !memchr("\n\t\\", text[plain], 3))
            plain++;
        str_add_bytes(to, text, plain);
        if (plain == n)
            return;
        str_add(to, text[plain] == '\n' ? "\\n"
                  : text[plain] == '\t' ? "\\t" : "\\\\");
        text += plain + 1;
        n -= plain + 1;
    }
}

void stdtim_add(struct str *to, uint32_t rank, bool exit, const char *text,
                size_t text_bytes, int32_t marker, uint64_t wall_ns)
{
    str_addf(to, "Task %" PRIu32 " %s:", rank, exit ? "Exit " : "Enter");
    add_escaped(to, text, text_bytes);
    str_addf(to, "\t%" PRId32 "\t%llu.%06llu\n", marker,
             wall_ns / CLOCK_NS_PER_S, wall_ns % CLOCK_NS_PER_S / 1000);
}
