/* Who lies where, and what that costs. */
#include <stdlib.h>
#include <string.h>

struct tariff {
    const char *name;
    double per_day, once;
};

struct berth {
    int days;
    char vessel[20];
    const struct tariff *tariff;
};

static const struct tariff tariffs[] = {
    {"yacht", 18.5, 5.0},
    {"trader", 95.0, 40.0},
    {"museum", 0.0, 1.0},
};

static struct berth *berths;
static int number_of_berths;

int harbour_open(int number)
{
    berths = calloc(number, sizeof *berths);
    number_of_berths = number;
    return berths == NULL;
}

static void copy_name(char *to, const char *from)
{
    while ((*(volatile char *)to++ = *from++))
        ;
}

int harbour_moor(int number, const char *vessel, const char *tariff, int days)
{
    if (number < 0 || number >= number_of_berths)
        return -1;
    for (unsigned i = 0; i < sizeof tariffs / sizeof *tariffs; i++)
        if (!strcmp(tariffs[i].name, tariff)) {
            berths[number].days = days;
            berths[number].tariff = &tariffs[i];
            copy_name(berths[number].vessel, vessel);
            return 0;
        }
    return -1;
}

double harbour_dues(int number)
{
    const struct berth *berth = &berths[number];
    return berth->tariff->once + berth->tariff->per_day * berth->days;
}
