// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct observer { void *pad[2]; /* id, name */ int (*changed)(int); int state; char rest[610]; };
static int changed(int x) { return x + 1; }
void *create(void)
{
    struct observer *one = calloc(1, sizeof *one);
    one->changed = changed;
    return one;
}
void destroy(void *one) { free(one); }
char *text;
void reuse(void) { text = malloc(sizeof(struct observer)); memcpy(text, "customer:1004,city:Lyon,zip:690", 32); text[400] = 1; }
int notify(struct observer *one) { return one->changed(one->state) + 1; }
