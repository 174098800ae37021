// SPDX-License-Identifier: Apache-2.0
// Tickets of a box office: fixed fields for the printer, and a tariff for each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEAT_WIDTH = 8 };

struct ticket {
    struct ticket *next;
    char seat[SEAT_WIDTH];
    int zone;
    int row;
    int (*price)(const struct ticket *);
    char guest[32];
};

static int price_stalls(const struct ticket *ticket)
{
    return 6400 - 120 * ticket->row;
}

static int price_balcony(const struct ticket *ticket)
{
    return 3900 - 60 * ticket->row;
}

struct ticket *ticket_issue(struct ticket *before, int zone, int row, const char *guest)
{
    struct ticket *ticket = calloc(1, sizeof *ticket);
    ticket->next = before;
    ticket->zone = zone;
    ticket->row = row;
    ticket->price = zone < 3 ? price_stalls : price_balcony;
    snprintf(ticket->guest, sizeof ticket->guest, "%s", guest);
    return ticket;
}

void ticket_assign(struct ticket *ticket, const char *seat)
{
    size_t length = strnlen(seat, SEAT_WIDTH);
    if (length == 0)
        memset(ticket->seat, SEAT_WIDTH, ' ');
    else
        memcpy(ticket->seat, seat, length);
}

long tickets_sum(const struct ticket *ticket)
{
    long sum = 0;
    for (; ticket; ticket = ticket->next)
        sum += ticket->price(ticket);
    return sum;
}
