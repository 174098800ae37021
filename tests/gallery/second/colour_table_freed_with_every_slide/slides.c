// SPDX-License-Identifier: Apache-2.0
// Slides of a lantern lecture; slides of one box may share a colour table.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef struct { uint32_t colour[256]; int used; } ColourTable;
typedef struct Slide { struct Slide *next; int number; ColourTable *table; unsigned char *pixels; } Slide;
typedef struct { Slide *first; int slides; } Box;

Box *new_box(void) { return calloc(1, sizeof(Box)); }

ColourTable *new_table(uint32_t tint)
{
    ColourTable *table = calloc(1, sizeof *table);
    for (int i = 0; i < 256; i++) table->colour[i] = tint * i / 255;
    table->used = 256;
    return table;
}

int add_slide(Box *box, ColourTable *table, int width, int height)
{
    Slide *slide = malloc(sizeof *slide);
    slide->number = box->slides++;
    slide->table = table;
    slide->pixels = calloc(width, height);
    slide->next = box->first;
    box->first = slide;
    return slide->number;
}

long light_of(const Box *box, int number)
{
    for (const Slide *slide = box->first; slide; slide = slide->next)
        if (slide->number == number) return slide->table->colour[slide->pixels[0]] + slide->table->used;
    return -1;
}

__attribute__((noinline)) static void release_table(ColourTable *table) { free(table); }

__attribute__((noinline)) static void release_slide(Slide *slide)
{
    release_table(slide->table);
    free(slide->pixels);
    free(slide);
}

void close_box(Box *box)
{
    for (Slide *slide = box->first, *next; slide; slide = next) {
        next = slide->next;
        release_slide(slide);
    }
    free(box);
}
