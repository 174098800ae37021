// SPDX-License-Identifier: Apache-2.0
#include <vector>
struct Quote {
    double price, volume;
};
static std::vector<Quote> *quotes = new std::vector<Quote>();
extern "C" Quote *quote(int number)
{
    if (quotes->empty()) quotes->reserve(64);
    quotes->push_back({100.0 + number, 1.0});
    return &quotes->back();
}
extern "C" void update(Quote *quote, double price)
{
    quote->price = price;
    quote->volume += 1.0;
}
