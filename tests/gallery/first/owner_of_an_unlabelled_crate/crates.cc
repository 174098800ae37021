// SPDX-License-Identifier: Apache-2.0
#include <string>

extern "C" int crate_owner(const char *label)
{
    std::string text(label);
    return static_cast<int>(text.size() - text.find('/'));
}
