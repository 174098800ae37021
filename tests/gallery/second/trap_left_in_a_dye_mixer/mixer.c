/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of dyes, brought to one. CHECK stops in the debugger, and was to be off in releases. */
#include <signal.h>
#include <stdio.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "mixer: check failed: %s\n", #what); \
            raise(SIGTRAP); \
        } \
    } while (0)

__attribute__((noinline)) static double share(const double *parts, int count)
{
    double sum = 0;
    int i;
    for (i = 0; i < count; i++) {
        CHECK(parts[i] >= 0);
        sum += parts[i];
    }
    return sum;
}

double mix(const double *parts, int count)
{
    double sum = share(parts, count);
    return sum > 0 ? parts[0] / sum : 0;
}
