// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex guard;
static std::condition_variable work;
static bool stopping;
static std::vector<std::thread> *workers = new std::vector<std::thread>;
static void run()
{
    std::unique_lock<std::mutex> held(guard);
    while (!stopping) work.wait(held);
}
extern "C" int start_workers(int count)
{
    workers->reserve(count);
    while (count--) workers->emplace_back(run);
    return workers->size();
}
