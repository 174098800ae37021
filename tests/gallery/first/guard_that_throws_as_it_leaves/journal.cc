// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

struct flush_guard {
    const std::string &line;
    ~flush_guard()
    {
        if (line.size() > 100)
            throw std::runtime_error("line too long");
    }
};

extern "C" int journal_write(const char *text)
{
    try {
        std::string line(text);
        flush_guard guard{line};
        return (int)line.size();
    } catch (const std::exception &) {
        return -1;
    }
}
