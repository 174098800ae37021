/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

struct tally {
    int64_t valid;
    int64_t spoilt;
};

int ballots_count(const char *marks, int64_t number, struct tally *result)
{
    struct tally found = {0, 0};
    for (int64_t at = 0; at < number; at++) {
        if (marks[at] == 'x')
            found.valid++;
        else
            found.spoilt++;
    }
    *result = found;
    return 0;
}
