// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

struct request {
    const unsigned char *body;
    size_t length;
    uint32_t checksum;
};

uint32_t upload_seal(struct request *request)
{
    uint32_t low = 1, high = 0;
    for (size_t n = 0; n < request->length; n++) {
        low = (low + request->body[n]) % 65521;
        high = (high + low) % 65521;
    }
    request->checksum = high << 16 | low;
    return request->checksum;
}
