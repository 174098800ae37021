/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

struct label { size_t used, room; char *text; };

struct label *label_new(void)
{
    struct label *self = calloc(1, sizeof *self);
    self->room = 120;
    self->text = malloc(self->room);
    return self;
}

void label_line(struct label *self, const char *line)
{
    size_t length = strlen(line);
    memcpy(self->text + self->used, line, length);
    self->used += length;
    self->text[self->used++] = '\n';
    while (self->used > self->room) {
        self->room *= 2;
        self->text = realloc(self->text, self->room);
    }
}
