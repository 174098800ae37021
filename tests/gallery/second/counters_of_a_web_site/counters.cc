// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <unordered_map>

struct site {
    long requests, bytes;
    std::unordered_map<std::string, long> pages;
};

extern "C" site *site_open() { return new site(); }

extern "C" void site_count(site *it, const char *page, long bytes)
{
    it->requests++;
    it->bytes += bytes;
    it->pages[page]++;
}

extern "C" void site_midnight(site *it) { std::memset(static_cast<void *>(it), 0, sizeof *it); }
extern "C" long site_requests(site *it) { return it->requests; }
