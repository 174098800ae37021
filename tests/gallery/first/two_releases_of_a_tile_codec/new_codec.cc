// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

struct options {
    int zoom;
    const int *levels;
    int *counts;
    __attribute__((noinline)) explicit options(int z);
};

static const int every[] = {1, 2, 4, 8, 16, 32, 64, 128};

options::options(int z) : zoom(z), levels(every), counts(static_cast<int *>(std::calloc(8, sizeof(int)))) {}

static void scratch(int zoom)
{
    char *name = static_cast<char *>(std::malloc(sizeof(options)));
    std::memset(name, 'a' + zoom, sizeof(options));
    std::free(name);
}

extern "C" int tile_encode(int zoom)
{
    scratch(zoom);
    options *chosen = new options(zoom);
    int size = 256 / chosen->levels[chosen->zoom];
    chosen->counts[chosen->zoom]++;
    delete chosen;
    return size;
}
