// SPDX-License-Identifier: Apache-2.0
// Helpers of an HTTP parser that works on C strings.
#include <ctype.h>
#include <string.h>

void lower_name(char *name)
{
    for (; *name; name++)
        *name = (char)tolower((unsigned char)*name);
}

long header_length(const char *value)
{
    long length = 0;
    while (value[length] != '\0')
        length++;
    return length;
}
