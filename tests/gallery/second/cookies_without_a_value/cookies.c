/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

static size_t value_length(const char *pair)
{
    const char *value = strchr(pair, '=') + 1;
    return strlen(value);
}

/* Return the length of the longest value of a Cookie header. */
size_t longest_cookie(const char *header)
{
    char *copy = strdup(header), *rest = copy, *pair;
    size_t longest = 0;
    while ((pair = strtok_r(rest, "; ", &rest)) != NULL) {
        size_t length = value_length(pair);
        if (length > longest)
            longest = length;
    }
    free(copy);
    return longest;
}
