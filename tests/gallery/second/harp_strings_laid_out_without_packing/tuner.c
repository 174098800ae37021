// SPDX-License-Identifier: Apache-2.0
// The tuner's protocol library: its records are packed, as they come over the wire.
#include <stdint.h>
#include <string.h>
#pragma pack(push, 1)
typedef struct {
    uint8_t octave;
    uint16_t number;
    float hertz;
    const char *material;
    uint8_t worn;
} StringRecord;
#pragma pack(pop)

int record_size(void) { return sizeof(StringRecord); }

__attribute__((noinline)) static int same_material(const StringRecord *one, const char *wanted)
{
    return one->material && strcmp(one->material, wanted) == 0;
}

int count_material(const StringRecord *strings, int number, const char *wanted)
{
    int found = 0;
    for (int i = 0; i < number; i++) found += same_material(strings + i, wanted);
    return found;
}

double mean_hertz(const StringRecord *strings, int number)
{
    double sum = 0;
    for (int i = 0; i < number; i++) sum += strings[i].hertz;
    return number ? sum / number : 0;
}
