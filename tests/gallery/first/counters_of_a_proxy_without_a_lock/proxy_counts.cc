// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

static std::map<unsigned, std::string> hits;

extern "C" void count_hits(unsigned seed, int count)
{
    for (int n = 0; n < count; n++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned page = seed >> 14;
        if (page & 1)
            hits[page] += "x";
        else
            hits.erase(page | 1);
    }
}
