// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct entry {
    char name[48];
    unsigned bed;
    unsigned plants;
};

struct herb_index {
    size_t used, room;
    unsigned long lookups;
    struct entry entries[];
};

struct herb_index *
herb_open(size_t room)
{
    struct herb_index *index = calloc(1, sizeof *index + room * sizeof(struct entry));
    index->room = room;
    return index;
}

int
herb_add(struct herb_index *index, const char *name, unsigned bed, unsigned plants)
{
    if (index->used == index->room)
        return -1;
    struct entry *entry = &index->entries[index->used++];
    strncpy(entry->name, name, sizeof entry->name - 1);
    entry->bed = bed;
    entry->plants = plants;
    return 0;
}

unsigned
herb_bed(struct herb_index *index, const char *name)
{
    index->lookups++;
    for (size_t i = 0; i < index->used; i++)
        if (strcmp(index->entries[i].name, name) == 0)
            return index->entries[i].bed;
    return 0;
}

unsigned
herb_plants(struct herb_index *index, unsigned bed)
{
    unsigned total = 0;
    for (size_t i = 0; i < index->used; i++)
        if (index->entries[i].bed == bed)
            total += index->entries[i].plants;
    return total;
}
