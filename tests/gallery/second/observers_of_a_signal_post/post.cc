// SPDX-License-Identifier: Apache-2.0
// A signal post and its observers. An observer that goes does not take itself off the list.
#include <vector>

struct Observer {
    virtual ~Observer() {}
    virtual bool tell(int aspect) = 0;
};

struct Post {
    std::vector<Observer *> observers;
};

struct ScreenObserver : Observer {
    Post *post;
    int number;
    int last = -1;
    char caption[160] = {};
    ScreenObserver(Post *where, int which) : post(where), number(which)
    {
        post->observers.push_back(this);
    }
    ~ScreenObserver() override { last = -2; }
    bool tell(int aspect) override
    {
        bool changed = last != aspect;
        last = aspect;
        return changed;
    }
};

static int notify(const std::vector<Observer *> &observers, int aspect)
{
    int told = 0;
    for (Observer *observer : observers)
        told += observer->tell(aspect);
    return told;
}

extern "C" {
void *post_new() { return new Post; }
void *observer_new(void *post, int number)
{
    return static_cast<Observer *>(new ScreenObserver(static_cast<Post *>(post), number));
}
void observer_delete(void *observer) { delete static_cast<Observer *>(observer); }
int post_show(void *post, int aspect) { return notify(static_cast<Post *>(post)->observers, aspect); }
}
