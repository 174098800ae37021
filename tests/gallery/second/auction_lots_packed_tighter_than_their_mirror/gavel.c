/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of an auction hall's lots, used in memory as well. */
#include <stdint.h>
#include <string.h>

#pragma pack(push, 1)
struct lot {
    uint8_t withdrawn;
    uint16_t number;
    const char *title;
    uint32_t reserve;
};
#pragma pack(pop)

/* Return how many letters the longest title among the lots has. */
int gavel_longest_title(const struct lot *lots, int count)
{
    int longest = 0;
    for (int n = 0; n < count; n++) {
        if (lots[n].withdrawn)
            continue;
        int letters = (int)strlen(lots[n].title);
        if (letters > longest)
            longest = letters;
    }
    return longest;
}

uint64_t gavel_estimate(const struct lot *lots, int count)
{
    uint64_t sum = 0;
    for (int n = 0; n < count; n++)
        sum += lots[n].withdrawn ? 0 : lots[n].reserve;
    return sum;
}
