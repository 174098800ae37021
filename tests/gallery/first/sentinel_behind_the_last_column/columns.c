/* SPDX-License-Identifier: Apache-2.0 */

/* Finds where each column of a line starts; -1 ends the list. Returns how many columns there are. */
long find_columns(const char *line, long *starts, long room)
{
    long used = 0, at = 0;
    starts[used++] = 0;
    for (; line[at] && used < room; at++)
        if (line[at] == ';')
            starts[used++] = at + 1;
    starts[used] = -1;
    return used;
}
