// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
struct session { long rows[512]; };
void *connect(void) { return mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
void disconnect(void *one) { munmap(one, 1 << 16); }
int query(struct session *one) { return ++one->rows[7]; }
