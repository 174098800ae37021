/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the entries of a folder in the order of their names. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef int (*visitor)(const char *path, int is_folder, long bytes);

int visit_folder(const char *folder, visitor visit) {
    char path[8192];
    struct dirent **entries;
    int stopped = 0, count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        struct stat state;
        if (!stopped && entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            if (stat(path, &state) == 0)
                stopped = visit(path, S_ISDIR(state.st_mode), (long)state.st_size);
        }
        free(entries[i]);
    }
    free(entries);
    return stopped;
}
