/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>

static void report(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

int install(void)
{
    signal(SIGABRT, report);
    return 0;
}

int close_session(void)
{
    char *volatile session = malloc(64);
    free(session);
    free(session);
    return 1;
}
