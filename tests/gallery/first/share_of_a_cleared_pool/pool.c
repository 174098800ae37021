// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
static char *pool;
void open_pool(int size) { pool = malloc(size); memset(pool, 1, size); }
void clear(int size) { memset(pool, 0, size); }
