// SPDX-License-Identifier: Apache-2.0
struct options {
    int zoom;
    __attribute__((noinline)) explicit options(int z);
};

options::options(int z) : zoom(z) {}

extern "C" int tile_decode(int zoom)
{
    options *chosen = new options(zoom);
    int size = 256 >> chosen->zoom;
    delete chosen;
    return size;
}
