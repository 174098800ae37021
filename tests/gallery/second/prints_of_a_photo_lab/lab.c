// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct order {
    int number;
    int copies;
    char paper[16];
    unsigned char preview[1600];
};

struct order *open_order(int number, int copies, const char *paper)
{
    struct order *order = malloc(sizeof *order);
    order->number = number;
    order->copies = copies;
    strncpy(order->paper, paper, sizeof order->paper);
    memset(order->preview, number & 0xff, sizeof order->preview);
    return order;
}

int close_order(struct order *order)
{
    int copies = order->copies;
    free(order);
    return copies;
}
