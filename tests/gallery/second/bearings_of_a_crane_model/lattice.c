// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

typedef int (*lattice_stiffer)(long first, long second, void *model);

void lattice_sort(long *order, size_t count, lattice_stiffer stiffer, void *model)
{
    for (size_t i = 1; i < count; i++) {
        long beam = order[i];
        size_t at = i;
        while (at > 0 && stiffer(order[at - 1], beam, model) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = beam;
    }
}
