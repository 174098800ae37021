// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <thread>
#include <vector>

struct order {
    std::string name;
    const char *unit;
};

static std::vector<std::function<int()>> tasks;
static int done;

extern "C" void order_later(const char *name)
{
    order taken{name, "pieces"};
    const order *kept = &taken;
    tasks.push_back([&kept] { return (int)kept->name.size() + kept->unit[0]; });
    tasks.reserve(16);
}

extern "C" double mean_price(double start)
{
    volatile double prices[64];
    double sum = 0;
    for (int n = 0; n < 64; n++)
        prices[n] = start + n * 0.37;
    for (int n = 0; n < 64; n++)
        sum += prices[n];
    return sum / 64;
}

extern "C" void tasks_start()
{
    std::thread([] {
        for (auto &task : tasks)
            done += task();
    }).detach();
}

extern "C" int tasks_done() { return done; }
