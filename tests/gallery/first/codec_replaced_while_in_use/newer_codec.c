// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

static const char *names[] = {"three", "one", "four", "one", "five", "nine", "two", "six"};

static __attribute__((noinline)) int
length_of(const char *name, char *into, int n)
{
    return snprintf(into, 20, "%s %d", name, n);
}

int
codec_value(int n)
{
    char text[20];

    return length_of(names[n & 7], text, n) + text[0];
}
