/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

typedef long (*include_function)(const char *name);

long render(const char *text, include_function include)
{
    char line[65536];
    long size = 0, used = 0;
    memset(line, ' ', sizeof line);
    for (; *text; text++) {
        if (*text == '{') {
            const char *end = strchr(text, '}');
            char name[64] = "";
            memcpy(name, text + 1, end - text - 1);
            size += include(name);
            text = end;
        } else {
            line[used++ % sizeof line] = *text;
        }
    }
    return size + used + (line[0] == ' ');
}
