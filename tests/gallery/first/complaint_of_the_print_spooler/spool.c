// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int log_descriptor = 2;

void spool_report(int number, const char *what);

__attribute__((noinline)) void spool_log(const char *level, const char *text)
{
    char line[256];
    int size = snprintf(line, sizeof line, "spool[%d] %s: %s\n", (int)getpid(), level, text);
    if (write(log_descriptor, line, size) != size)
        spool_report(errno, "writing the log");
    line[0] = 0;
    __asm__ volatile("" : : "r"(line) : "memory");
}

__attribute__((noinline)) void spool_report(int number, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s", what, strerror(number));
    spool_log("error", text);
    __asm__ volatile("" : : "r"(text) : "memory");
}

void spool_log_to(int descriptor) { log_descriptor = descriptor; }

void spool_print(int job, const char *title)
{
    char text[120];
    snprintf(text, sizeof text, "job %d, %s, 1 page", job, title);
    spool_log("info", text);
}
