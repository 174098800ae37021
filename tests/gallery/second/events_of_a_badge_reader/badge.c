// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

/* Version 2: the reader's number came to be the first argument. */
typedef void (*on_badge)(int reader, const char *holder, long when);
static on_badge handler;
static const char *holders[] = {"Okafor", "Lindqvist", "Marchetti", "Dubois"};

void badge_listen(on_badge each) { handler = each; }

__attribute__((noinline)) int badge_poll(int rounds)
{
    int seen = 0;
    for (int i = 0; i < rounds; i++)
        if (handler) {
            handler(21 + i % 3, holders[i % 4], 1700000000L + 60 * i);
            seen++;
        }
    return seen;
}
