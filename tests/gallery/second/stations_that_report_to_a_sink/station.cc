// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

struct Region { long members; std::string name; };

struct Node {
    explicit Node(Region *in) : region(in) {}
    virtual void attach(Node *parent) { region = parent->region; region->members++; }
    virtual long neighbours() { return region->members; }
    Region *region;
};

struct Sink {
    virtual void write(const char *line) { written += line; written += '\n'; }
    virtual size_t size() { return written.size(); }
    std::string written;
};

struct Station : Node, Sink {
    Station(const char *called) : Node(new Region{1, called}) {}
};

static Sink *current;

extern "C" void *station_open(const char *name) { return new Station(name); }
extern "C" void station_attach(void *it, void *parent)
{
    static_cast<Station *>(it)->attach(static_cast<Station *>(parent));
}
extern "C" void log_to(void *sink) { current = static_cast<Sink *>(sink); }
extern "C" void log_line(const char *line) { current->write(line); }
