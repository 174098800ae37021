// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void (*session_event)(int session, int code);
struct session {
    long number;
    long opened;
    session_event on_event;
    char user[32];
};
struct pending {
    struct session *session;
    int code;
};
static struct pending queue[32];
static int queued;

struct session *session_open(long number, session_event callback, const char *user)
{
    struct session *session = malloc(sizeof *session);
    session->number = number;
    session->opened = 1;
    session->on_event = callback;
    snprintf(session->user, sizeof session->user, "%s", user);
    return session;
}

void session_post(struct session *session, int code)
{
    queue[queued].session = session;
    queue[queued++].code = code;
}

void session_close(struct session *session) { free(session); }

/* A line of the audit log, of as much memory as it happens to need. */
char *audit_line(const char *text)
{
    char *line = malloc(sizeof(struct session));
    snprintf(line, sizeof(struct session), "%s", text);
    return line;
}

int session_dispatch(void)
{
    int told = 0;
    for (int n = 0; n < queued; n++, told++)
        queue[n].session->on_event((int)queue[n].session->number, queue[n].code);
    queued = 0;
    return told;
}
