// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Scanner {
  public:
    explicit Scanner(int port) : port_(port), worker_([this] { watch(); }) {}
    void stop()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        stopped_ = true;
        changed_.notify_all();
    }
    void join() { worker_.join(); }
    int seen() const { return seen_; }

  private:
    void watch()
    {
        std::unique_lock<std::mutex> guard(mutex_);
        while (!stopped_) {
            seen_++;
            changed_.wait(guard);
        }
    }
    int port_;
    std::atomic<int> seen_{0};
    bool stopped_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread worker_;
};

static std::map<int, Scanner *> scanners;

extern "C" {
void scanner_attach(int port) { scanners[port] = new Scanner(port); }
int scanner_seen(int port) { return scanners.at(port)->seen(); }
/* Unplugged in good order. */
void scanner_detach(int port)
{
    Scanner *scanner = scanners.at(port);
    scanner->stop();
    scanner->join();
    scanners.erase(port);
    delete scanner;
}
/* Another scanner at the same port: the old one goes. */
void scanner_replace(int port)
{
    Scanner *old = scanners.at(port);
    old->stop();
    scanners[port] = new Scanner(port);
    delete old;
}
}
