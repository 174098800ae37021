// SPDX-License-Identifier: Apache-2.0
struct result { int seconds, number; char name[184]; };
void ranking_sort(struct result *results, long first, long last)
{
    while (first < last) {
        struct result pivot = results[last];
        long low = first;
        for (long n = first; n < last; n++)
            if (results[n].seconds < pivot.seconds) {
                if (n != low) {
                    struct result kept = results[n];
                    results[n] = results[low];
                    results[low] = kept;
                }
                low++;
            }
        results[last] = results[low];
        results[low] = pivot;
        ranking_sort(results, first, low - 1);
        first = low + 1;
    }
}
