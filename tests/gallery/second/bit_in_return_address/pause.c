// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
static void *volatile place;
void *slot(void) { return place; }
__attribute__((noinline)) static int inner(void)
{
    place = (char *)__builtin_frame_address(0) + 8;
    char c;
    read(0, &c, 1);
    return c;
}
__attribute__((noinline)) int measure(void) { int n = inner(); return n + 1; }
