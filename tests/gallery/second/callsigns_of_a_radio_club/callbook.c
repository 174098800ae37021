// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Callsigns in the form of the log book: upper case, prefix and suffixes kept apart by '/'. */

static int
copy_upper(char *out, const char *from)
{
    int length = 0;
    while (*from) {
        if (!isspace((unsigned char)*from))
            out[length++] = (char)toupper((unsigned char)*from);
        from++;
    }
    out[length] = 0;
    return length;
}

__attribute__((noinline)) static unsigned
district(const char *callsign)
{
    char normal[16];
    unsigned sum = 0;
    int length = copy_upper(normal, callsign);
    for (int i = 0; i < length; i++)
        if (isdigit((unsigned char)normal[i]))
            return (unsigned)(normal[i] - '0');
        else
            sum += (unsigned char)normal[i];
    return sum % 10;
}

unsigned
callbook_districts(const char **callsigns, unsigned number, unsigned *counts)
{
    unsigned used = 0;
    for (unsigned i = 0; i < number; i++) {
        unsigned at = district(callsigns[i]);
        used += counts[at]++ == 0;
    }
    return used;
}
