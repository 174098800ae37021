/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

struct note {
    size_t used, room;
    char *text;
    char small[32];
};

struct note *note_new(void)
{
    struct note *note = calloc(1, sizeof *note);
    note->text = note->small;
    note->room = sizeof note->small;
    return note;
}

static void note_grow(struct note *note, size_t wanted)
{
    while (note->room < wanted)
        note->room *= 2;
    note->text = realloc(note->text, note->room);
}

void note_add(struct note *note, const char *text)
{
    size_t length = strlen(text);
    if (note->used + length + 1 > note->room)
        note_grow(note, note->used + length + 1);
    memcpy(note->text + note->used, text, length + 1);
    note->used += length;
}

const char *note_text(const struct note *note) { return note->text; }
