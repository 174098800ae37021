// SPDX-License-Identifier: Apache-2.0
void sort_all(long *keys, int count, int (*order)(const long *, const long *))
{
    for (int round = 0; round < count; round++)
        for (int at = 0; at + 1 < count; at++)
            if (order(keys + at, keys + at + 1) > 0) {
                long kept = keys[at];
                keys[at] = keys[at + 1];
                keys[at + 1] = kept;
            }
}
