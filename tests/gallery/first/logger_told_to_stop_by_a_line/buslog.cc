// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
namespace {
class Logger {
  public:
    explicit Logger(const char *path) : file_(fopen(path, "w")), thread_([this] { run(); }) {}
    void write(std::string line)
    {
        std::lock_guard<std::mutex> hold(lock_);
        lines_.push_back(std::move(line));
        filled_.notify_one();
    }
    void stop()
    {
        {
            std::lock_guard<std::mutex> hold(lock_);
            going_ = false;
            filled_.notify_all();
        }
        thread_.join();
        fclose(file_);
    }

  private:
    void run()
    {
        while (going_) {
            std::unique_lock<std::mutex> hold(lock_);
            filled_.wait(hold, [this] { return !lines_.empty() || !going_; });
            if (lines_.empty())
                continue;
            std::string line = std::move(lines_.front());
            lines_.pop_front();
            hold.unlock();
            fprintf(file_, "%s\n", line.c_str());
            if (line == "END OF SERVICE")
                stop();
        }
    }
    std::mutex lock_;
    std::condition_variable filled_;
    std::deque<std::string> lines_;
    bool going_ = true;
    FILE *file_;
    std::thread thread_;
};
Logger *logger;
}
extern "C" void buslog_start(const char *path) { logger = new Logger(path); }
extern "C" void buslog_write(const char *line) { logger->write(line); }
extern "C" void buslog_stop() { logger->stop(); }
