// SPDX-License-Identifier: Apache-2.0
#include <vector>
struct Item { long number; char text[56]; };
extern "C" int enqueue(int count)
{
    std::vector<Item> items(20000);
    Item &first = items[5];
    for (int n = 0; n < count; n++) items.push_back(Item{n, ""});
    first.number++;
    return first.number;
}
