/* Bookings of the club, since 1997. */
#include <stdlib.h>
#include <string.h>

struct charter {
    char boat[48];
    int days;
    double daily;
    double extras[12];
    char remarks[760];
};

struct charter *charter_open(const char *boat, int days)
{
    struct charter *charter = calloc(1, sizeof *charter);
    if (!charter)
        return NULL;
    strncpy(charter->boat, boat, sizeof charter->boat - 1);
    charter->days = days;
    charter->daily = 180.0;
    return charter;
}

void charter_extra(struct charter *charter, int kind, double price)
{
    charter->extras[kind % 12] = price;
}

double charter_price(const struct charter *charter)
{
    double price = charter->days * charter->daily;
    for (int i = 0; i < 12; i++)
        price += charter->extras[i];
    return price;
}

void charter_release(struct charter *charter)
{
    free(charter);
}
