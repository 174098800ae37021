// SPDX-License-Identifier: Apache-2.0
// A clock that calls a std::function at the quarter, half and full hour.
#include <functional>
#include <map>
#include <string>

struct Clock {
    std::map<std::string, std::function<void(int)>> strikes;
};

static std::string kind_of(int minute)
{
    if (minute % 60 == 0)
        return minute ? "full" : "";
    if (minute % 60 == 30)
        return "half";
    return minute % 15 == 0 ? "quarter" : "";
}

extern "C" {
void *clock_new() { return new Clock; }

void clock_on(void *clock, const char *kind, void (*strike)(int))
{
    static_cast<Clock *>(clock)->strikes[kind] = strike;
}

void clock_advance(void *clock, int minute)
{
    std::string kind = kind_of(minute);
    if (!kind.empty())
        static_cast<Clock *>(clock)->strikes[kind](minute);
}
}
