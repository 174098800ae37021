// SPDX-License-Identifier: Apache-2.0
// Parser of orders that come by fax. A bad field ends the parsing from wherever it is found.
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef int (*field_handler)(int line, const char *name, const char *value);

static jmp_buf failed;
static char reason[128];

void fax_reject(const char *why)
{
    snprintf(reason, sizeof reason, "%s", why);
    longjmp(failed, 1);
}

const char *fax_reason(void)
{
    return reason;
}

/* Calls the handler for each NAME=VALUE; returns how many there were, or -1. */
int fax_parse(const char *text, field_handler handler)
{
    volatile int fields = 0, line = 1;
    char name[32], value[64];

    if (setjmp(failed))
        return -1;
    while (*text) {
        int used = 0;
        if (sscanf(text, "%31[^=\n]=%63[^\n]%n", name, value, &used) == 2) {
            fields += handler(line, name, value);
            text += used;
        }
        text += strcspn(text, "\n");
        if (*text == '\n')
            text++, line++;
    }
    return fields;
}
