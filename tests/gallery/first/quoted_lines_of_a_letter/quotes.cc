// SPDX-License-Identifier: Apache-2.0
#include <regex>
#include <string>

extern "C" int quotes_in(const char *letter)
{
    static const std::regex quote(R"x("(.|[^a])*".*)x");
    return std::regex_match(std::string(letter), quote);
}
