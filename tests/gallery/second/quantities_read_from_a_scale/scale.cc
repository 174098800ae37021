// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

class Reading {
public:
    explicit Reading(std::string line) : line_(std::move(line)) {}
    __attribute__((noinline)) int grams() const noexcept
    {
        return std::stoi(line_.substr(line_.find(' ') + 1));
    }

private:
    std::string line_;
};

extern "C" int scale_read_line(const char *line)
{
    try {
        return Reading(line).grams();
    } catch (const std::exception &) {
        return -1;
    }
}
