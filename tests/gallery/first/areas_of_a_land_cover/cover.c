// SPDX-License-Identifier: Apache-2.0
/* Area of each class of a land cover map, added up cell by cell. */
__attribute__((noinline)) void cover_areas(const unsigned char *cells, long count, double *areas, double cell)
{
    for (long i = 0; i < count; i++)
        areas[cells[i]] += cell;
}
