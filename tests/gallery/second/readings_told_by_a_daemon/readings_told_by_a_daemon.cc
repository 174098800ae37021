// SPDX-License-Identifier: Apache-2.0
// A client of a message broker: a thread of its own sends what is put into its mailbox.
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace courier {

class signaler {
  public:
    signaler() : descriptor(eventfd(0, EFD_CLOEXEC)) { assert(descriptor != -1); }

    void send() {
        const uint64_t one = 1;
        const ssize_t written = write(descriptor, &one, sizeof one);
        assert(written == sizeof one);
    }

    void wait() {
        pollfd item = {descriptor, POLLIN, 0};
        int ready;
        do {
            ready = poll(&item, 1, -1);
        } while (ready == -1 && errno == EINTR);
        assert(item.revents & POLLIN);
        uint64_t count;
        const ssize_t got = read(descriptor, &count, sizeof count);
        assert(got == sizeof count);
    }

  private:
    int descriptor;
};

class mailbox {
  public:
    void put(std::string message) {
        {
            std::lock_guard<std::mutex> guard(mutex);
            messages.push_back(std::move(message));
        }
        awake.send();
    }

    std::string get() {
        awake.wait();
        std::lock_guard<std::mutex> guard(mutex);
        std::string first = std::move(messages.front());
        messages.pop_front();
        return first;
    }

  private:
    std::mutex mutex;
    std::deque<std::string> messages;
    signaler awake;
};

struct client {
    mailbox outgoing;
    long delivered = 0;
    std::thread worker;

    client() : worker([this] { run(); }) { worker.detach(); }

    void run() {
        for (;;)
            delivered += static_cast<long>(outgoing.get().size());
    }
};

}  // namespace courier

extern "C" courier::client *courier_connect() { return new courier::client; }

extern "C" void courier_publish(courier::client *client, const char *text) {
    client->outgoing.put(text);
}

extern "C" long courier_delivered(const courier::client *client) { return client->delivered; }
