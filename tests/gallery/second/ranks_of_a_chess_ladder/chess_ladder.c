// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

static void swap(int64_t *one, int64_t *other)
{
    int64_t kept = *one;
    *one = *other;
    *other = kept;
}

static long split(int64_t *points, long low, long high)
{
    long edge = low;
    for (long at = low; at < high; at++)
        if (points[at] < points[high])
            swap(&points[at], &points[edge++]);
    swap(&points[edge], &points[high]);
    return edge;
}

static void sort_part(int64_t *points, long low, long high)
{
    if (low >= high)
        return;
    long edge = split(points, low, high);
    sort_part(points, low, edge - 1);
    sort_part(points, edge + 1, high);
}

void cl_sort(int64_t *points, long count)
{
    sort_part(points, 0, count - 1);
}
