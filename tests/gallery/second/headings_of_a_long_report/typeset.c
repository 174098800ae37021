// SPDX-License-Identifier: Apache-2.0
// Breaks paragraphs so that the lines are of even length.
#include <alloca.h>
#include <stdint.h>
#include <string.h>

static int64_t square(int64_t value)
{
    return value * value;
}

/* Writes where the lines begin into `breaks`; returns how many lines there are. */
int typeset_break(const char *text, int width, int *breaks, int room)
{
    size_t length = strlen(text);
    int words = 1;
    for (size_t i = 0; i < length; i++)
        words += text[i] == ' ';

    int *start = alloca((words + 1) * sizeof *start);
    int64_t *cost = alloca((words + 1) * sizeof *cost);
    int *from = alloca((words + 1) * sizeof *from);

    int word = 0;
    start[0] = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] == ' ')
            start[++word] = (int)i + 1;
    start[words] = (int)length + 1;

    cost[0] = 0;
    for (int last = 1; last <= words; last++) {
        cost[last] = INT64_MAX;
        for (int first = last - 1; first >= 0; first--) {
            int used = start[last] - start[first] - 1;
            if (used > width && first < last - 1)
                break;
            int64_t total = cost[first] + (last < words ? square(width - used) : 0);
            if (total < cost[last]) {
                cost[last] = total;
                from[last] = first;
            }
        }
    }
    int lines = 0;
    for (int at = words; at > 0; at = from[at])
        if (lines < room)
            breaks[lines++] = start[from[at]];
    return lines;
}
