// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
typedef struct { char *data; size_t used, size; } Buffer;
Buffer *new_buffer(void) { return calloc(1, sizeof(Buffer)); }
long append(Buffer *buffer, const char *bytes, size_t count)
{
    if (buffer->used + count > buffer->size) {
        buffer->size = buffer->size ? 2 * buffer->size : 1 << 20;
        buffer->data = realloc(buffer->data, buffer->size);
    }
    memcpy(buffer->data + buffer->used, bytes, count);
    return buffer->used += count;
}
