/* SPDX-License-Identifier: Apache-2.0 */
/* An append-only journal; what cannot be made durable must not be confirmed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct journal {
    int file;
    unsigned long entries;
    size_t pending;
    char path[128];
    char buffer[4096];
};

char journal_complaint[256];

static void journal_panic(struct journal *journal, const char *what) {
    snprintf(journal_complaint, sizeof journal_complaint, "journal %s: %s after %lu entries: %s",
             journal->path, what, journal->entries, strerror(errno));
    fprintf(stderr, "%s\n", journal_complaint);
    abort();
}

struct journal *journal_open(const char *path) {
    struct journal *journal = calloc(1, sizeof *journal);
    strncpy(journal->path, path, sizeof journal->path - 1);
    journal->file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (journal->file < 0)
        journal_panic(journal, "open");
    return journal;
}

void journal_flush(struct journal *journal) {
    size_t done = 0;
    while (done < journal->pending) {
        ssize_t wrote = write(journal->file, journal->buffer + done, journal->pending - done);
        if (wrote < 0)
            journal_panic(journal, "write");
        done += wrote;
    }
    journal->pending = 0;
}

unsigned long journal_append(struct journal *journal, const char *entry, size_t length) {
    if (journal->pending + length > sizeof journal->buffer)
        journal_flush(journal);
    memcpy(journal->buffer + journal->pending, entry, length);
    journal->pending += length;
    return ++journal->entries;
}
