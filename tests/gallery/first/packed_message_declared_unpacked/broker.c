/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

#pragma pack(push, 1)
struct message { uint8_t priority; const char *topic; uint32_t size; uint64_t number; };
#pragma pack(pop)

static struct message inbox[] = {
    {3, "orders/new", 1200, 81934017}, {1, "orders/paid", 64, 81934018}, {9, "stock", 12, 81934019},
};
static unsigned at;

struct message *next_message(void)
{
    return at < sizeof inbox / sizeof *inbox ? &inbox[at++] : NULL;
}
