// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

struct posting { long document; int place, weight; char context[112]; };

static std::unordered_map<std::string, std::vector<posting>> words;

static void index_no_room()
{
    std::fputs("index: no room for postings\n", stderr);
    std::abort();
}

extern "C" void index_begin() { std::set_new_handler(index_no_room); }

extern "C" void index_word(const char *word, long document, int times)
{
    for (int place = 0; place < times; place++)
        words[word].push_back({document, place, 1, ""});
}
extern "C" long index_words() { return words.size(); }
