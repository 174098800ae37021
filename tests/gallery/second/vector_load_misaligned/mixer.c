// SPDX-License-Identifier: Apache-2.0
#include <xmmintrin.h>
float mixer_level(const float *samples, int number)
{
    __m128 sum = _mm_setzero_ps();
    float lanes[4];
    for (int n = 0; n + 4 <= number; n += 4) {
        __m128 four = _mm_load_ps(samples + n);
        sum = _mm_add_ps(sum, _mm_mul_ps(four, four));
    }
    _mm_storeu_ps(lanes, sum);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}
