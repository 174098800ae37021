/* Bidders in a list. */
#include <stdlib.h>
#include <string.h>

typedef void (*called)(int number, int price);

struct bidder {
    struct bidder *next;
    int number;
    called called;
    char name[180];
};

static struct bidder *bidders;

void ring_join(int number, const char *name, called function)
{
    struct bidder *bidder = calloc(1, sizeof *bidder);
    bidder->number = number;
    bidder->called = function;
    strncpy(bidder->name, name, sizeof bidder->name - 1);
    bidder->next = bidders;
    bidders = bidder;
}

void ring_leave(int number)
{
    for (struct bidder **at = &bidders; *at; at = &(*at)->next)
        if ((*at)->number == number) {
            struct bidder *gone = *at;
            *at = gone->next;
            free(gone);
            return;
        }
}

int ring_call(int price)
{
    int number = 0;
    for (struct bidder *bidder = bidders; bidder; bidder = bidder->next) {
        bidder->called(bidder->number, price);
        number++;
    }
    return number;
}
