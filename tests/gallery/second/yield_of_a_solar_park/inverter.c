/* SPDX-License-Identifier: Apache-2.0 */
struct day {
    double total;
    double peak;
    double mean;
    long count;
};

/* Summary of a day, by value. */
struct day summarise_day(const double *watts, long count)
{
    struct day day = {watts[0], watts[0], 0, count};
    for (long i = 1; i < count; i++) {
        day.total += watts[i];
        if (watts[i] > day.peak)
            day.peak = watts[i];
    }
    day.mean = day.total / count;
    return day;
}
