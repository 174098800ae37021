/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct session {
    char table[32];
    int rows;
};

static pthread_key_t current;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_session(void *value)
{
    struct session *session = value;
    memset(session, 0, sizeof *session);
    free(session);
}

static void prepare(void)
{
    pthread_key_create(&current, end_session);
}

/* The session of the calling thread; it is closed when the thread ends. */
static struct session *session(void)
{
    pthread_once(&once, prepare);
    struct session *found = pthread_getspecific(current);
    if (found == NULL) {
        found = calloc(1, sizeof *found);
        pthread_setspecific(current, found);
    }
    return found;
}

int count_rows(const char *table)
{
    struct session *mine = session();
    strncpy(mine->table, table, sizeof mine->table - 1);
    mine->rows += 1280;
    return mine->rows;
}
