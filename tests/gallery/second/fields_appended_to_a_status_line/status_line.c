// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

struct display {
    size_t used;
    char line[96];
    void (*sink)(const char *);
    long shown;
    char cabin[64];
};

struct display *display_new(void (*sink)(const char *))
{
    struct display *made = calloc(1, sizeof *made);
    if (made) made->sink = sink;
    return made;
}

void display_field(struct display *d, const char *name, const char *value)
{
    d->used += snprintf(d->line + d->used, sizeof d->line - d->used, "%s=%s;", name, value);
}

void display_show(struct display *d)
{
    d->sink(d->line);
    d->used = 0;
    d->shown++;
}
