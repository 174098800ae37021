// SPDX-License-Identifier: Apache-2.0
// Tags on the goods of a bonded store.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tag {
    char *text;
    double duty;
};

struct tag *tag_new(const char *goods, double duty)
{
    struct tag *tag = malloc(sizeof *tag);
    tag->text = malloc(strlen(goods) + 1);
    strcpy(tag->text, goods);
    tag->duty = duty;
    return tag;
}

void tag_set_unit(struct tag *tag, const char *unit)
{
    strcat(tag->text, " per ");
    strcat(tag->text, unit);
}

const char *tag_text(const struct tag *tag)
{
    return tag->text;
}

void tag_free(struct tag *tag)
{
    free(tag->text);
    free(tag);
}
