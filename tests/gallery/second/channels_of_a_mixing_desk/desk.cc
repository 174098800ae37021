// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <vector>

namespace desk {

const int FIRST_GROUP = 8;

struct Channel {
    virtual ~Channel() {}
};

struct Fader : Channel {
    double gain;
    double pan = 0.5;
    explicit Fader(double gain) : gain(gain) {}
};

struct Group : Channel {
    std::vector<Fader *> members;
};

struct Desk {
    std::vector<std::unique_ptr<Channel>> channels;

    double fader_level(int number)
    {
        return static_cast<Fader *>(channels[number].get())->gain;
    }

    __attribute__((noinline)) double group_level(int number)
    {
        double power = 0;
        for (const Fader *fader : static_cast<Group *>(channels[number].get())->members)
            power += std::pow(10.0, fader->gain / 10.0);
        return 10.0 * std::log10(power);
    }

    double level(int number)
    {
        return number < FIRST_GROUP ? fader_level(number) : group_level(number);
    }
};

}  // namespace desk

extern "C" {

void *desk_new() { return new desk::Desk; }

void desk_add_fader(desk::Desk *desk, double gain)
{
    desk->channels.emplace_back(new desk::Fader(gain));
}

void desk_add_group(desk::Desk *desk, int first, int last)
{
    auto *group = new desk::Group;
    for (int number = first; number < last; number++)
        group->members.push_back(static_cast<desk::Fader *>(desk->channels[number].get()));
    desk->channels.emplace_back(group);
}

double desk_meter(desk::Desk *desk, int number) { return desk->level(number); }

}
