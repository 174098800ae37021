// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

namespace {
struct Offer {
    long cents, seller;
};

bool cheaper(const Offer *left, const Offer *right) { return left->cents <= right->cents; }

std::vector<Offer *> offers;

void rank(std::vector<Offer *> &list) { std::sort(list.begin(), list.end(), cheaper); }
}  // namespace

extern "C" void add_offer(long cents, long seller) { offers.push_back(new Offer{cents, seller}); }

extern "C" long best_offer()
{
    rank(offers);
    return offers.front()->seller;
}
