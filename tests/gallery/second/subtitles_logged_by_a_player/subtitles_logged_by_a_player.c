/* SPDX-License-Identifier: Apache-2.0 */
/* A player's subtitle engine; tells its messages to a callback of the application. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*log_callback)(void *opaque, int level, const char *module, const char *text);

struct engine {
    log_callback log;
    void *opaque;
    int verbosity;
    int cues;
};

struct engine *engine_new(int verbosity)
{
    struct engine *engine = calloc(1, sizeof *engine);
    engine->verbosity = verbosity;
    return engine;
}

void engine_set_log(struct engine *engine, log_callback log, void *opaque)
{
    engine->log = log;
    engine->opaque = opaque;
}

static void tell(struct engine *engine, int level, const char *module, const char *text)
{
    if (engine->log != NULL && level >= engine->verbosity)
        engine->log(engine->opaque, level, module, text);
}

int engine_add_cue(struct engine *engine, long start, long end, const char *text)
{
    char message[120];

    if (end <= start) {
        snprintf(message, sizeof message, "cue \"%.40s\" ends before it starts", text);
        tell(engine, 30, "timing", message);
        return -1;
    }
    if (strlen(text) > 42)
        tell(engine, 10, "layout", "a line is longer than 42 letters");
    return engine->cues++;
}
