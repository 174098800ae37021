/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#define BERTHS 128
#define KEY 8

struct berth {
    int taken;
    char yacht[KEY];
};

static struct berth berths[BERTHS];

/* Return the number of a yacht's berth; a new yacht gets the first free one after its hash. */
int berth_of(const char *yacht)
{
    unsigned place = 5381;
    for (int i = 0; i < KEY; i++)
        place = place * 33 + (unsigned char)yacht[i];
    for (place %= BERTHS;; place = (place + 7) % BERTHS) {
        struct berth *berth = &berths[place];
        if (berth->taken && memcmp(berth->yacht, yacht, KEY) == 0)
            return place;
        if (!berth->taken) {
            berth->taken = 1;
            memcpy(berth->yacht, yacht, KEY);
            return place;
        }
    }
}
