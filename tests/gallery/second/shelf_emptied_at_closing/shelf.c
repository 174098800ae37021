// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
struct shelf { long *loaves; size_t count, room; };
struct shelf *shelf_open(int room)
{
    struct shelf *made = malloc(sizeof *made);
    made->loaves = malloc(room * sizeof *made->loaves);
    made->count = 0;
    made->room = room;
    return made;
}
void shelf_put(struct shelf *shelf, long loaf)
{
    if (shelf->count < shelf->room)
        shelf->loaves[shelf->count++] = loaf;
}
int shelf_take(struct shelf *shelf)
{
    return shelf->count ? (int)shelf->loaves[--shelf->count] : 0;
}
void shelf_pack(struct shelf *shelf)
{
    long *packed = realloc(shelf->loaves, shelf->count * sizeof *packed);
    if (!packed)
        return;
    shelf->loaves = packed;
    shelf->room = shelf->count;
}
void shelf_close(struct shelf *shelf)
{
    free(shelf->loaves);
    free(shelf);
}
