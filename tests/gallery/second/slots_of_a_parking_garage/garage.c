/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the cars of the levels of a garage. */
#include <assert.h>
#include <stdlib.h>

struct level {
    unsigned capacity;
    unsigned taken;
    unsigned long entered;
    unsigned long left;
    unsigned hourly[24 * 60];
};

struct level *garage_level(unsigned capacity) {
    struct level *level = calloc(1, sizeof *level);
    level->capacity = capacity;
    return level;
}

unsigned garage_enter(struct level *level) {
    assert(level->taken <= level->capacity);
    if (level->taken == level->capacity)
        return 0;
    level->taken++;
    level->entered++;
    assert(level->entered - level->left == level->taken);
    return level->capacity - level->taken;
}

unsigned garage_leave(struct level *level) {
    assert(level->entered - level->left == level->taken);
    if (level->taken) {
        level->taken--;
        level->left++;
    }
    return level->capacity - level->taken;
}
