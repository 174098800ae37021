// SPDX-License-Identifier: Apache-2.0
#include <map>
struct Level { long quantity = 0; int offers = 0; };
static std::map<int, Level> levels;
extern "C" void book_offer(int price, int quantity)
{
    Level &level = levels[price];
    level.quantity += quantity;
    level.offers++;
}
extern "C" long book_quantity(int price)
{
    auto found = levels.find(price);
    return found == levels.end() ? 0 : found->second.quantity;
}
// The first node from a price on that has levels below it on its left.
extern "C" void *book_node(int price)
{
    for (auto at = levels.lower_bound(price); at != levels.end(); ++at)
        if (at._M_node->_M_left)
            return at._M_node;
    return nullptr;
}
