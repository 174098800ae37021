// SPDX-License-Identifier: Apache-2.0
#include <queue>
#include <string>
#include <vector>

struct call {
    int urgency;
    std::string place;
    bool operator<(const call &other) const { return urgency < other.urgency; }
};

static std::priority_queue<call> waiting;

extern "C" void dispatch_take(int urgency, const char *place) { waiting.push({urgency, place}); }
extern "C" int dispatch_send(int cars)
{
    int sent = 0;
    for (; cars > 0; cars--) {
        waiting.pop();
        sent++;
    }
    return sent;
}
extern "C" long dispatch_waiting() { return waiting.size(); }
