/* SPDX-License-Identifier: Apache-2.0 */
/* Loudness compensation of a hearing aid: gains by frequency and level, for each frame. */
#include <stddef.h>
#include <stdlib.h>

struct aid {
    const double *gains;
    size_t bands;
    size_t levels;
    double volume;
};

struct aid *aid_new(void) {
    struct aid *aid = calloc(1, sizeof *aid);
    aid->volume = 1.0;
    return aid;
}

void aid_set_gains(struct aid *aid, const double *gains, size_t bands, size_t levels) {
    aid->gains = gains;
    aid->bands = bands;
    aid->levels = levels;
}

double aid_process(struct aid *aid, const double *frame, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        size_t band = i * aid->bands / count;
        size_t level = (size_t)(frame[i] * (aid->levels - 1));
        sum += aid->volume * frame[i] * aid->gains[band * aid->levels + level];
    }
    return sum / count;
}
