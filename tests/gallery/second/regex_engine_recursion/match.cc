// SPDX-License-Identifier: Apache-2.0
#include <regex>
extern "C" int matches(const char *text) { return std::regex_match(text, std::regex("(a|b)*c?")); }
