// SPDX-License-Identifier: Apache-2.0
#include <string>
extern "C" std::string *new_label(const char *text) { return new std::string(text); }
extern "C" int shard_of(const std::string *label)
{
    unsigned sum = 0;
    for (char letter : *label) sum = sum * 31 + (unsigned char)letter;
    return (int)(sum % 64);
}
