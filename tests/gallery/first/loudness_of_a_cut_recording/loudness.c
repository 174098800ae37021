// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <emmintrin.h>

float
loudness_of(const float *samples, size_t fours)
{
    __m128 sum = _mm_setzero_ps();
    float parts[4];

    for (size_t n = 0; n < fours; n++) {
        __m128 four = _mm_load_ps(samples + 4 * n);
        __asm__ volatile("" : "+x"(four));
        sum = _mm_add_ps(sum, _mm_mul_ps(four, four));
    }
    _mm_storeu_ps(parts, sum);
    return parts[0] + parts[1] + parts[2] + parts[3];
}
