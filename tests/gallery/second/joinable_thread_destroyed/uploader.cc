// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>
namespace upload {
struct Job {
    std::thread sender;
    explicit Job(int size) : sender([size] { std::this_thread::sleep_for(std::chrono::seconds(size)); }) {}
    bool cancelled(int limit) const { return limit < 0; }
};
int send_file(int size, int limit)
{
    Job job(size);
    if (job.cancelled(limit))
        return -1;
    job.sender.join();
    return size;
}
}
extern "C" int upload_file(int size, int limit) { return upload::send_file(size, limit); }
