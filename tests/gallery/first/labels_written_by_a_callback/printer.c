// SPDX-License-Identifier: Apache-2.0
#include <string.h>
__attribute__((noinline)) int print_label(void (*write)(void *, int))
{
    char line[64];
    memset(line, 0, sizeof line);
    write(line, sizeof line);
    return line[3];
}
