// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stdexcept>
typedef int Order(const long *, const long *);
static int by_weight(const long *left, const long *right)
{
    if (*left < 0 || *right < 0)
        throw std::runtime_error("a basket without a weight");
    return *left < *right ? -1 : *left > *right;
}
extern "C" int heaviest(void (*sort)(long *, int, Order *), long *baskets, int count)
{
    try {
        sort(baskets, count, by_weight);
    } catch (const std::exception &error) {
        std::printf("left out: %s\n", error.what());
        return -1;
    }
    return (int)baskets[count - 1];
}
