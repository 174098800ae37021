// SPDX-License-Identifier: Apache-2.0
#include <string.h>
struct header {
    char magic[8];
    unsigned long length;
    double sent;
    char rest[24];
};
void frame(char *payload, long length)
{
    struct header header = {"FRAME/1", 0x4001000000000000ul + length, 1700000000.25, "to the gateway, now"};
    memcpy(payload - sizeof header, &header, sizeof header);
}
