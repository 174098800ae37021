/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf on_error;
static char message[80];
static char seen[256];

static void fail(const char *text)
{
    snprintf(message, sizeof message, "%s", text);
    longjmp(on_error, 1);
}

static int read_line(const char *line)
{
    if (!strchr(line, '='))
        fail("no equals sign");
    return strlen(line);
}

/* Checks the first line, and leaves the place to jump to behind. */
__attribute__((noinline)) static int guarded(const char *first)
{
    char copy[4096];
    if (setjmp(on_error))
        return -1;
    snprintf(copy, sizeof copy, "%s", first);
    memcpy(seen, copy, sizeof seen);
    return read_line(copy);
}

int config_open(const char *first) { return guarded(first); }
int config_line(const char *line) { return read_line(line); }
