// SPDX-License-Identifier: Apache-2.0
#include <string.h>

/* Right-aligned decimal digits of an amount in a field. */
__attribute__((noinline)) void ledger_field(char *field, int width, long long cents)
{
    char *at = field + width;
    unsigned long long left = cents < 0 ? 0 - (unsigned long long)cents : cents;
    do {
        *--at = '0' + left % 10;
        left /= 10;
    } while (left);
    if (cents < 0)
        *--at = '-';
    while (at > field)
        *--at = ' ';
}
