// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
struct checksum {
    uint32_t a, b;
};
struct checksum *checksum_new(void)
{
    struct checksum *sum = malloc(sizeof *sum);
    sum->a = 1;
    sum->b = 0;
    return sum;
}
/* Since 2.0 the size stands before the data, as in the library's other functions. */
int checksum_update(struct checksum *sum, size_t size, const unsigned char *data)
{
    for (size_t i = 0; i < size; i++) {
        sum->a = (sum->a + data[i]) % 65521;
        sum->b = (sum->b + sum->a) % 65521;
    }
    return 0;
}
uint32_t checksum_value(const struct checksum *sum) { return sum->b << 16 | sum->a; }
void checksum_free(struct checksum *sum) { free(sum); }
