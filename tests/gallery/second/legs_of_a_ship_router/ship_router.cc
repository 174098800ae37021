// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

const std::map<std::string, long> miles = {{"RTM", 0}, {"HAM", 305}, {"OSL", 560}};

struct UnknownPort : std::runtime_error {
    explicit UnknownPort(const std::string &port) : std::runtime_error("no such port: " + port) {}
};

long find_port(const std::string &port)
{
    auto found = miles.find(port);
    if (found == miles.end())
        throw UnknownPort(port);
    return found->second;
}

void plan_leg(const std::string &from, const std::string &to, long *length)
{
    *length = std::abs(find_port(from) - find_port(to));
}

}  // namespace

extern "C" long sr_voyage(const char **ports, int count)
{
    std::vector<long> lengths(count, 0);
    std::vector<std::thread> legs;
    for (int at = 0; at + 1 < count; at++)
        legs.emplace_back(plan_leg, std::string(ports[at]), std::string(ports[at + 1]),
                          &lengths[at]);
    long sum = 0;
    for (auto &leg : legs)
        leg.join();
    for (long length : lengths)
        sum += length;
    return sum;
}
