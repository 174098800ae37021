#include <stdlib.h>
#include <string.h>

/* Collects the trails of meteors; the store doubles when it is full. */

struct trail {
    float right_ascension, declination;
    float brightness[14];
};

struct store {
    struct trail *trails;
    size_t used, room;
};

struct store *
trails_open(void)
{
    struct store *store = calloc(1, sizeof *store);

    store->room = 1024;
    store->trails = malloc(store->room * sizeof(struct trail));
    return store;
}

static __attribute__((noinline)) void
append_trail(struct store *store, const struct trail *trail)
{
    if (store->used == store->room) {
        store->room *= 2;
        store->trails = realloc(store->trails, store->room * sizeof(struct trail));
    }
    store->trails[store->used++] = *trail;
}

/* Find trails in a frame: each pixel above the threshold begins one. */
size_t
trails_find(struct store *store, const unsigned char *frame, size_t pixels, int threshold)
{
    size_t before = store->used;

    for (size_t i = 0; i < pixels; i++) {
        if (frame[i] < threshold)
            continue;
        struct trail trail = {.right_ascension = i % 640, .declination = i / 640};
        for (int k = 0; k < 14; k++)
            trail.brightness[k] = frame[(i + k) % pixels] / 255.0f;
        append_trail(store, &trail);
    }
    return store->used - before;
}

size_t
trails_count(struct store *store)
{
    return store->used;
}
