/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of a cloakroom: a coat goes to the hook of its number, or to the next one free. */
#include <stdint.h>
#include <stdlib.h>

struct cloakroom {
    uint32_t hooks;
    uint32_t hung;
    uint32_t *coats;
};

struct cloakroom *open_cloakroom(uint32_t hooks) {
    struct cloakroom *room = malloc(sizeof *room);
    room->hooks = hooks;
    room->hung = 0;
    room->coats = calloc(hooks, sizeof *room->coats);
    return room;
}

__attribute__((noinline)) uint32_t next_free_hook(const struct cloakroom *room, uint32_t number) {
    uint32_t hook = number * 2654435761u % room->hooks;
    while (room->coats[hook] != 0)
        hook = (hook + 1) % room->hooks;
    return hook;
}

__attribute__((noinline)) uint32_t hang_coat(struct cloakroom *room, uint32_t number) {
    uint32_t hook = next_free_hook(room, number);
    room->coats[hook] = number;
    room->hung++;
    return hook;
}
