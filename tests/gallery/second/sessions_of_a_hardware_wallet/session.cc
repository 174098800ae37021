// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

class Session;

class Hub {
public:
    void join(std::shared_ptr<Session> session) { sessions_.push_back(std::move(session)); }
    std::size_t size() const { return sessions_.size(); }

private:
    std::vector<std::shared_ptr<Session>> sessions_;
};

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(std::string device, int channel) : device_(std::move(device)), channel_(channel) {}

    void announce(Hub &hub) { hub.join(shared_from_this()); }

    int channel() const { return channel_; }

private:
    std::string device_;
    int channel_;
};

static Hub hub;
static std::vector<std::shared_ptr<Session>> wired;

extern "C" int wallet_attach(const char *device, int channel)
{
    auto session = std::make_shared<Session>(device, channel);
    wired.push_back(session);
    session->announce(hub);
    return static_cast<int>(hub.size());
}

extern "C" int wallet_attach_wireless(const char *device, int channel)
{
    auto *session = new Session(device, channel);
    session->announce(hub);
    return static_cast<int>(hub.size());
}
