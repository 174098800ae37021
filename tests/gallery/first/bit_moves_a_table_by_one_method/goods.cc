// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

struct Writer { long used; char text[256]; };
struct Link { Link *next; long count; };

struct Item {
    double unit;
    long sold = 0;
    Link *links = nullptr;
    explicit Item(double unit) : unit(unit) {}
    virtual long write(Writer *to) { return to->used += 1; }
    virtual long describe(Writer *to) { to->text[to->used++] = 'i'; return to->used; }
    virtual long price(long pieces) { sold += pieces; return long(unit * pieces); }
    virtual long attach(Link *link) { link->next = links; links = link; return ++link->count; }
    virtual long detach(Link *link) { links = link->next; return --link->count; }
};

struct Fresh : Item {
    using Item::Item;
    long price(long pieces) override { sold += pieces; return long(unit * pieces * 9 / 10); }
};

static std::vector<Item *> shelf;

extern "C" void *add_item(double unit, int fresh)
{
    shelf.push_back(fresh ? new Fresh(unit) : new Item(unit));
    return shelf.back();
}

extern "C" long shelf_value(long pieces)
{
    long value = 0;
    for (Item *item : shelf)
        value += item->price(pieces);
    return value;
}
