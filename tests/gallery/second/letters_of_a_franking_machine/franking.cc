// SPDX-License-Identifier: Apache-2.0
// A franking machine: letters wait in a queue, a thread of the library franks them.
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

struct Letter {
    std::string country;
    int grams;
};

class Tariff {
public:
    Tariff()
    {
        cents_ = {{"DE", 85}, {"AT", 110}, {"FR", 110}, {"DK", 120}, {"PL", 110}, {"NL", 110}};
    }

    int postage(const Letter &letter) const
    {
        int base = cents_.at(letter.country);
        if (letter.grams > 1000)
            throw std::length_error("letter of " + std::to_string(letter.grams) + " g");
        return base * (1 + letter.grams / 50);
    }

private:
    std::map<std::string, int> cents_;
};

class Machine {
public:
    void start() { worker_ = std::thread(&Machine::run, this); }

    void put(Letter letter)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        waiting_.push_back(std::move(letter));
        more_.notify_one();
    }

    long stop()
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            stopping_ = true;
            more_.notify_one();
        }
        worker_.join();
        return cents_;
    }

private:
    void run()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            more_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
            if (waiting_.empty())
                return;
            Letter letter = waiting_.front();
            waiting_.pop_front();
            lock.unlock();
            cents_ += tariff_.postage(letter);
        }
    }

    Tariff tariff_;
    std::deque<Letter> waiting_;
    std::mutex mutex_;
    std::condition_variable more_;
    std::thread worker_;
    bool stopping_ = false;
    long cents_ = 0;
};

}  // namespace

extern "C" {

Machine *franking_start()
{
    Machine *machine = new Machine;
    machine->start();
    return machine;
}

void franking_put(Machine *machine, const char *country, int grams)
{
    machine->put({country, grams});
}

long franking_stop(Machine *machine)
{
    return machine->stop();
}
}
