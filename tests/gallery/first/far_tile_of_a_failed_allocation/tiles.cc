// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <new>

namespace {
struct Tile {
    std::uint32_t height, kind;
};

struct Map {
    long columns, rows;
    Tile *tiles;
    Tile &at(long column, long row) { return tiles[row * columns + column]; }
};

void raise_hill(Map &map, long column, long row)
{
    for (long y = row; y < row + 8; y++)
        for (long x = column; x < column + 8; x++)
            map.at(x, y).height = 100;
}
}  // namespace

extern "C" Map *map_new(long columns, long rows)
{
    return new Map{columns, rows, new (std::nothrow) Tile[columns * rows]};
}

extern "C" void map_hill(Map *map, long column, long row) { raise_hill(*map, column, row); }
