/* markup.c - see markup.h. */
#include "master/hector/page/markup.h"

void markup_add(struct str *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            str_add(to, "&amp;");
            break;
        case '<':
            str_add(to, "&lt;");
            break;
        case '>':
            str_add(to, "&gt;");
            break;
        case '"':
            str_add(to, "&quot;");
            break;
        case '\'':
            str_add(to, "&#39;");
            break;
        default:
            if ((unsigned char)*text < ' ' && *text != '\n')
                str_addf(to, "\\x%02x", (unsigned char)*text);
            else
                str_add_bytes(to, text, 1);
        }
}
