// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char *without_margin(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = 0;
    return text;
}

/* How many capital letters a name begins its words with. */
__attribute__((noinline)) int name_initials(const char *raw)
{
    char *name = strdup(raw);
    int found = 0;
    name = without_margin(name);
    for (char *at = name; *at; at++)
        found += isupper((unsigned char)*at) && (at == name || at[-1] == ' ');
    free(name);
    return found;
}
