// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace taste {

struct Event {
    std::uint64_t item;
    float weight;
    float decay;
};

class Histories {
public:
    void record(std::uint64_t user, std::uint64_t item)
    {
        events_[user].push_back({item, 1.0f, 0.99f});
    }

    void load(std::uint64_t users, std::uint64_t per_user)
    {
        for (std::uint64_t at = 0; at < users * per_user; at++)
            record(at % users, at * 2654435761u % 100003);
    }

    std::size_t users() const { return events_.size(); }

private:
    std::unordered_map<std::uint64_t, std::vector<Event>> events_;
};

Histories histories;
std::thread loader;

}  // namespace taste

extern "C" void start_loading(unsigned long users, unsigned long per_user)
{
    taste::loader = std::thread([=] { taste::histories.load(users, per_user); });
}

extern "C" unsigned long finish_loading()
{
    taste::loader.join();
    return taste::histories.users();
}
