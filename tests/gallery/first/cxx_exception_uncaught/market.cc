// SPDX-License-Identifier: Apache-2.0
#include <vector>
static std::vector<int> prices = {10, 11, 12, 13};
extern "C" int price_at(int day) noexcept { return prices.at(day); }
