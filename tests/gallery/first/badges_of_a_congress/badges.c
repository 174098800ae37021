// SPDX-License-Identifier: Apache-2.0
// Lays out the badges of one company on its sheets.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct badge {
    char name[24];
    int32_t row;
    int32_t column;
    uint64_t token; /* since 2.1: what the door scanner reads */
};

static uint64_t token_of(const char *name, int number)
{
    uint64_t hash = 1469598103934665603ull;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211ull;
    return hash ^ (uint64_t)number << 32;
}

int badges_lay_out(struct badge *sheet, const char **names, int count, int columns)
{
    for (int i = 0; i < count; i++) {
        struct badge *badge = sheet + i;
        memset(badge, 0, sizeof *badge);
        snprintf(badge->name, sizeof badge->name, "%s", names[i]);
        badge->row = i / columns;
        badge->column = i % columns;
        badge->token = token_of(names[i], i);
    }
    return (count + columns - 1) / columns;
}
