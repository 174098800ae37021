// SPDX-License-Identifier: Apache-2.0
#include <alloca.h>
#include <stddef.h>
#include <string.h>

struct quoted { struct quoted *before; size_t length; char text[]; };

static size_t quote(char *to, const char *from)
{
    char *start = to;
    *to++ = '"';
    for (; *from; from++) {
        if (*from == '"') *to++ = '"';
        *to++ = *from;
    }
    *to++ = '"';
    return to - start;
}

size_t quoted_size(const char **rows, size_t count)
{
    struct quoted *last = NULL;
    for (size_t at = 0; at < count; at++) {
        struct quoted *row = alloca(sizeof *row + 2 * strlen(rows[at]) + 2);
        row->length = quote(row->text, rows[at]);
        row->before = last;
        last = row;
    }
    size_t total = 0;
    for (; last; last = last->before)
        if (last->text[0] == '"') total += last->length + 1;
    return total;
}
