// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

typedef struct {
    char number[24];
    int speed;
    char line[96];
} modem;

modem *modem_dial(const char *number)
{
    modem *m = malloc(sizeof *m);
    memset(m, 0, sizeof *m);
    strncpy(m->number, number, sizeof m->number - 1);
    m->speed = 9600;
    return m;
}

int modem_ask(modem *m)
{
    int sum = 0;
    for (const char *c = m->number; *c; c++)
        sum = sum * 31 + *c;
    return sum & 0xffff;
}

void modem_hang_up(modem *m)
{
    m->speed = 0;
    free(m);
}
