// SPDX-License-Identifier: Apache-2.0
#include <string.h>
__attribute__((noinline)) void set_words(char *line, int words)
{
    for (int n = 0; n < words; n++) memcpy(line + 12 * n, "ARRIVE AT 9 ", 12);
}
