// SPDX-License-Identifier: Apache-2.0
#include <vector>
extern "C" int last_price(int count)
{
    std::vector<int> prices(count, 7);
    return prices[prices.size()];
}
