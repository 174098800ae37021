// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdlib.h>

static unsigned long sent;

int sd_send(const char *letter, size_t size)
{
    for (size_t at = 0; at < size; at++)
        sent += (unsigned char)letter[at];
    return (int)(sent & 0x7fff);
}

/* Withdraw a letter: the driver owns what was handed to it. */
void sd_cancel(char *letter)
{
    sent++;
    free(letter);
    sent++;
}
