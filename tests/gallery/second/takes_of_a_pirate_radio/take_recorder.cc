// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Take {
public:
    explicit Take(int rate) : rate_(rate), leveller_([this] { level_loop(); }) {}

    int feed(const char *data, int size)
    {
        if (size % 2) {
            broken_ = true;
            return -1;
        }
        std::lock_guard<std::mutex> hold(guard_);
        for (int i = 0; i < size; i += 2)
            samples_.push_back(static_cast<int16_t>(data[i] | data[i + 1] << 8));
        return size / 2;
    }

    void finish()
    {
        if (broken_)
            return;
        stop_ = true;
        leveller_.join();
    }

private:
    void level_loop()
    {
        while (!stop_) {
            {
                std::lock_guard<std::mutex> hold(guard_);
                for (int16_t each : samples_)
                    loudest_ = each > loudest_ ? each : loudest_;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    int rate_;
    int loudest_ = 0;
    bool broken_ = false;
    std::atomic<bool> stop_{false};
    std::mutex guard_;
    std::vector<int16_t> samples_;
    std::thread leveller_;
};

}

extern "C" void *take_open(int rate)
{
    return new Take(rate);
}

extern "C" int take_feed(void *take, const char *data, int size)
{
    return static_cast<Take *>(take)->feed(data, size);
}

extern "C" void take_close(void *take)
{
    Take *whole = static_cast<Take *>(take);
    whole->finish();
    delete whole;
}
