// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

namespace {
struct Edit {
    std::string text;
    std::unique_ptr<Edit> previous;
};

struct History {
    std::unique_ptr<Edit> last;
    long size = 0;
    void record(const char *text)
    {
        auto edit = std::make_unique<Edit>();
        edit->text = text;
        edit->previous = std::move(last);
        last = std::move(edit);
        size++;
    }
};
}  // namespace

extern "C" History *open_history() { return new History; }
extern "C" void record(History *history, const char *text, long times)
{
    while (times-- > 0)
        history->record(text);
}
extern "C" long history_size(History *history) { return history->size; }
extern "C" void close_history(History *history) { delete history; }
