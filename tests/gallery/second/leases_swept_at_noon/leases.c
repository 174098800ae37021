// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

struct lease {
    struct lease *next;
    long until;
    char address[32];
};

static struct lease *leases;

int grant(const char *address, long until)
{
    struct lease *lease = malloc(sizeof *lease);
    if (lease == NULL)
        return -1;
    lease->until = until;
    snprintf(lease->address, sizeof lease->address, "%s", address);
    lease->next = leases;
    leases = lease;
    return 0;
}

int sweep(long now)
{
    int ended = 0;
    struct lease **link = &leases;
    for (struct lease *lease = leases; lease != NULL; lease = lease->next) {
        if (lease->until < now) {
            *link = lease->next;
            free(lease);
            ended++;
        } else {
            link = &lease->next;
        }
    }
    return ended;
}
