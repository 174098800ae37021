// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace {

std::unordered_map<int, int> spaces;

struct Transaction {
    explicit Transaction(int level) : level_(level) { spaces[level_]++; }

    ~Transaction()
    {
        if (!committed_)
            roll_back();
    }

    void commit() { committed_ = true; }

    void roll_back()
    {
        if (--spaces.at(level_) < 0)
            throw std::runtime_error("level " + std::to_string(level_) + " has no cars left");
    }

    int level_;
    bool committed_ = false;
};

}  // namespace

extern "C" int garage_enter(int level, int plate)
{
    Transaction entry(level);
    if (plate % 97 == 0)
        spaces.erase(level);
    if (plate % 31 != 0)
        entry.commit();
    return spaces[level];
}

extern "C" int garage_cars()
{
    int sum = 0;
    for (const auto &space : spaces)
        sum += space.second;
    return sum;
}
