/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

struct peer { int hops; int port; };
struct connection { struct peer *peer; long sent; char *name; long times[5]; };

void *connect_to(void)
{
    struct connection *made = calloc(1, sizeof *made);
    made->peer = calloc(1, sizeof *made->peer);
    made->peer->hops = 3;
    return made;
}

int ping(struct connection *connection) { return connection->peer->hops; }

void hang_up(struct connection *connection)
{
    free(connection->peer);
    free(connection);
}

void *samples(float first)
{
    float *made = malloc(sizeof(struct connection));
    for (int n = 0; n < 16; n++)
        made[n] = first + 1.1f * n;
    return made;
}
