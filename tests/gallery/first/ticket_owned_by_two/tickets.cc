// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

struct ticket {
    std::string title;
    int state;
};

static std::vector<std::shared_ptr<ticket>> by_number, by_owner;

extern "C" void ticket_open(const char *title)
{
    ticket *made = new ticket{title, 1};
    by_number.push_back(std::shared_ptr<ticket>(made));
    by_owner.push_back(std::shared_ptr<ticket>(made));
}

extern "C" int ticket_close()
{
    int count = (int)by_number.size();
    by_number.clear();
    by_owner.clear();
    return count;
}
