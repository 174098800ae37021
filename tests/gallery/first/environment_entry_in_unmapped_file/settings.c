/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* putenv() keeps the string that it is given: it lies in the mapping. */
static int export_lines(char *text)
{
    int count = 0;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strchr(line, '='))
            count += putenv(line) == 0;
    return count;
}

int settings_load(const char *path)
{
    struct stat state;
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0 || fstat(descriptor, &state) < 0)
        return -1;
    char *text = mmap(NULL, state.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (text == MAP_FAILED)
        return -1;
    int count = export_lines(text);
    munmap(text, state.st_size);
    return count;
}
