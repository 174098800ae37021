// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

struct Event {
    std::string kind;
    int door;
};

class Bus {
public:
    using Handler = std::function<void(int)>;

    Bus() : worker_(&Bus::serve, this) {}

    void on(const std::string &kind, Handler handler) { handlers_[kind] = std::move(handler); }

    void post(const char *kind, int door)
    {
        {
            std::lock_guard<std::mutex> hold(lock_);
            events_.push_back({kind, door});
        }
        wake_.notify_one();
    }

    long handled() const { return handled_; }

private:
    void serve()
    {
        for (;;) {
            std::unique_lock<std::mutex> hold(lock_);
            wake_.wait(hold, [this] { return !events_.empty(); });
            Event event = std::move(events_.front());
            events_.pop_front();
            hold.unlock();
            deliver(event);
        }
    }

    __attribute__((noinline)) void deliver(const Event &event)
    {
        handlers_[event.kind](event.door);
        ++handled_;
    }

    std::map<std::string, Handler> handlers_;
    std::deque<Event> events_;
    std::mutex lock_;
    std::condition_variable wake_;
    long handled_ = 0;
    std::thread worker_;
};

static int opened[64];

extern "C" {

Bus *bus_new()
{
    auto *bus = new Bus;
    bus->on("opened", [](int door) { opened[door % 64]++; });
    bus->on("closed", [](int door) { opened[door % 64]--; });
    return bus;
}

void bus_post(Bus *bus, const char *kind, int door) { bus->post(kind, door); }

long bus_handled(Bus *bus) { return bus->handled(); }

}
