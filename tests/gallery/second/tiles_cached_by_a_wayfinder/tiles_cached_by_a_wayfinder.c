/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of map tiles that drops the one which was used longest ago. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tile {
    struct tile *newer, *older;
    uint32_t column, row;
    uint64_t uses;
    uint8_t heights[200];
};

struct cache {
    struct tile *newest, *oldest;
    size_t count, limit;
};

struct cache *cache_new(size_t limit)
{
    struct cache *cache = calloc(1, sizeof *cache);
    cache->limit = limit;
    return cache;
}

static void link_newest(struct cache *cache, struct tile *tile)
{
    tile->newer = NULL;
    tile->older = cache->newest;
    if (cache->newest)
        cache->newest->newer = tile;
    cache->newest = tile;
    if (!cache->oldest)
        cache->oldest = tile;
}

static void unlink_tile(struct cache *cache, struct tile *tile)
{
    if (tile->newer)
        tile->newer->older = tile->older;
    else
        cache->newest = tile->older;
    if (tile->older)
        tile->older->newer = tile->newer;
    else
        cache->oldest = tile->newer;
}

struct tile *cache_put(struct cache *cache, uint32_t column, uint32_t row)
{
    struct tile *tile;

    if (cache->count == cache->limit) {
        tile = cache->oldest;
        unlink_tile(cache, tile);
    } else {
        tile = malloc(sizeof *tile);
        cache->count++;
    }
    tile->column = column;
    tile->row = row;
    tile->uses = 1;
    memset(tile->heights, (int)(column + row), sizeof tile->heights);
    link_newest(cache, tile);
    return tile;
}

struct tile *cache_find(struct cache *cache, uint32_t column, uint32_t row)
{
    for (struct tile *tile = cache->newest; tile; tile = tile->older) {
        if (tile->column == column && tile->row == row) {
            tile->uses++;
            unlink_tile(cache, tile);
            link_newest(cache, tile);
            return tile;
        }
    }
    return NULL;
}

int tile_height(const struct tile *tile, int at)
{
    return tile->heights[at % (int)sizeof tile->heights];
}
