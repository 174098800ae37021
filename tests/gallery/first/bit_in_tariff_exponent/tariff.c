/* SPDX-License-Identifier: Apache-2.0 */

struct tariff { long steps; double price[48]; };

__attribute__((noinline)) double price_at(const struct tariff *tariff, double hour)
{
    long step = (long)(hour * 2.0);
    double part = hour * 2.0 - (double)step;
    return tariff->price[step] * (1.0 - part) + tariff->price[(step + 1) % 48] * part;
}

double cost(const struct tariff *tariff, const double *hours, long count)
{
    double total = 0;
    for (long n = 0; n < count; n++)
        total += price_at(tariff, hours[n]);
    return total;
}
