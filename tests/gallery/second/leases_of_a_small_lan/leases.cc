// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <string>

namespace {

struct Lease {
    std::string host;
    std::int64_t until;
};

std::map<std::uint32_t, Lease> table;

}  // namespace

extern "C" void lease_add(std::uint32_t address, const char *host, std::int64_t until)
{
    table[address] = Lease{host, until};
}

extern "C" int lease_expire(std::int64_t now)
{
    int gone = 0;
    for (auto &[address, lease] : table) {
        if (lease.until <= now) {
            table.erase(address);
            gone++;
        }
    }
    return gone;
}

extern "C" int lease_count() { return static_cast<int>(table.size()); }
