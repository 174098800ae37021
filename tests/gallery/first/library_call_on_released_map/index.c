/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct index { char *start; size_t size; };
struct record { int id; int size; char text[40]; };

void *index_open(const char *path)
{
    struct stat about;
    struct index *made = malloc(sizeof *made);
    int file = open(path, O_RDONLY);
    fstat(file, &about);
    made->size = about.st_size;
    made->start = mmap(0, about.st_size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return made;
}

void *record_at(struct index *index, long number)
{
    return index->start + number * sizeof(struct record) + 40;
}

int record_size(struct record *record) { return record->size; }

void index_close(struct index *index)
{
    munmap(index->start, index->size);
    free(index);
}
