// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>

namespace {

class Metronome {
public:
    Metronome(std::string room, int beats) : room_(std::move(room)), interval_(60000 / beats) {}

    void start()
    {
        running_ = true;
        beat_ = std::thread([this] {
            while (running_) {
                std::this_thread::sleep_for(std::chrono::milliseconds(interval_));
                ++count_;
            }
        });
    }

    void stop()
    {
        running_ = false;
        if (beat_.joinable())
            beat_.join();
    }

    long count() const { return count_; }

private:
    std::string room_;
    int interval_;
    std::atomic<bool> running_{false};
    std::atomic<long> count_{0};
    std::thread beat_;
};

std::map<std::string, std::unique_ptr<Metronome>> rooms;

}  // namespace

extern "C" {

void room_open(const char *name, int beats)
{
    auto metronome = std::make_unique<Metronome>(name, beats);
    metronome->start();
    rooms[name] = std::move(metronome);
}

long room_count(const char *name)
{
    auto found = rooms.find(name);
    return found == rooms.end() ? -1 : found->second->count();
}

void room_close(const char *name)
{
    auto found = rooms.find(name);
    if (found != rooms.end()) {
        found->second->stop();
        rooms.erase(found);
    }
}

}
