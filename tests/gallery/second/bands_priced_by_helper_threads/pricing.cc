// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <thread>
#include <vector>

namespace {

const std::vector<double> band_prices = {0.42, 0.38, 0.35, 0.31};
const double band_width = 2000.0;

double price_of(double consumption)
{
    double amount = 0;
    for (std::size_t band = 0; consumption > 0; ++band) {
        const double here = consumption < band_width ? consumption : band_width;
        amount += here * band_prices.at(band);
        consumption -= here;
    }
    return amount;
}

void price_slice(const double *consumptions, double *amounts, int from, int to)
{
    for (int at = from; at < to; ++at) amounts[at] = price_of(consumptions[at]);
}

}  // namespace

extern "C" int price_all(const double *consumptions, double *amounts, int count)
{
    std::vector<std::thread> helpers;
    const int share = (count + 1) / 2;
    for (int from = 0; from < count; from += share)
        helpers.emplace_back(price_slice, consumptions, amounts, from,
                             from + share < count ? from + share : count);
    for (auto &helper : helpers) helper.join();
    return count;
}
