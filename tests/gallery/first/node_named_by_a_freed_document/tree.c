/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#define POOL (1 << 20)
struct node { const char *name; struct node *next; };
struct document { char *names; long used; struct node *first, **last; };

struct document *document_new(void)
{
    struct document *self = calloc(1, sizeof *self);
    self->names = malloc(POOL);
    self->last = &self->first;
    return self;
}

static const char *intern_name(struct document *self, const char *name)
{
    char *kept = strcpy(self->names + self->used, name);
    self->used += strlen(name) + 1;
    return kept;
}

struct node *node_new(struct document *self, const char *name)
{
    struct node *node = calloc(1, sizeof *node);
    node->name = intern_name(self, name);
    return node;
}

void document_append(struct document *self, struct node *node)
{
    *self->last = node;
    self->last = &node->next;
}

long document_write(struct document *self, char *out, long room)
{
    long size = 0;
    for (struct node *node = self->first; node; node = node->next) {
        long length = strlen(node->name);
        if (size + length + 3 > room)
            break;
        out[size++] = '<';
        memcpy(out + size, node->name, length);
        size += length;
        out[size++] = '/';
        out[size++] = '>';
    }
    return size;
}

void document_free(struct document *self)
{
    free(self->names);
    free(self);
}
