/* SPDX-License-Identifier: Apache-2.0
 * A C++ library with one bug per mode; see zoo.c. */
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static volatile size_t chosen = 3;
volatile long zoo_sink;

#ifdef EXTRACT
static inline long mix(long seed, long step) { return seed * 31 + step; }
#else
#define mix(seed, step) ((seed) * 31 + (step))
#endif

namespace zoo {
struct Shape {
    virtual ~Shape() = default;
    virtual long area(int scale) const = 0;
    long id = 1;
};
struct LoadError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
}  // namespace zoo

/* @block */
namespace zoo {
template <typename Key, typename Value>
struct Cache {
    std::vector<Value *> slots;
    Value get(const Key &key) const;
};
template <typename Key, typename Value>
Value Cache<Key, Value>::get(const Key &key) const {
    Value total = 0;
    for (size_t at = 0; at < slots.size(); at++) total = mix(total, *slots[at]) + key;
    return total;
}
template struct Cache<long, long>;
}  // namespace zoo
extern "C" int zoo_template() {
    zoo::Cache<long, long> cache;
    cache.slots.assign(chosen, nullptr);
    return static_cast<int>(cache.get(4)) + 1;
}

/* @block */
namespace zoo {
long apply_all(const std::vector<std::function<long(const Shape *)>> &rules, const Shape *shape) {
    long total = 0;
    for (const auto &rule : rules) total = mix(total, rule(shape));
    return total;
}
}  // namespace zoo
extern "C" int zoo_lambda() {
    std::vector<std::function<long(const zoo::Shape *)>> rules;
    rules.push_back([](const zoo::Shape *shape) {
        long total = 0;
        for (int scale = 0; scale < 5; scale++) total = mix(total, shape->id) + scale;
        return total;
    });
    return static_cast<int>(zoo::apply_all(rules, nullptr)) + 1;
}

/* @block */
namespace {
struct Index {
    std::map<std::string, long> positions;
    long find(const std::string &name) const;
};
__attribute__((noinline)) long Index::find(const std::string &name) const {
    long total = 0;
    for (char letter : name) total = mix(total, letter);
    return total + positions.at(name);
}
}  // namespace
extern "C" int zoo_out_of_range() {
    Index index;
    index.positions["one"] = 1;
    zoo_sink = index.find("two");
    return static_cast<int>(zoo_sink) + 1;
}

/* @block */
namespace zoo {
long load(const std::string &path, int attempt) {
    if (path.size() > 2 && attempt > 1) throw LoadError("cannot load " + path);
    return mix(attempt, 2);
}
}  // namespace zoo
extern "C" int zoo_throw() {
    zoo_sink = zoo::load("some/path", static_cast<int>(chosen));
    return static_cast<int>(zoo_sink) + 1;
}

/* @block */
namespace zoo {
struct Base : Shape {
    Base();
};
long measure(const Shape *shape) { return mix(shape->area(2), 3); }
Base::Base() { zoo_sink = measure(this); }
struct Square : Base {
    long area(int scale) const override { return scale * id; }
};
}  // namespace zoo
extern "C" int zoo_pure_virtual() {
    zoo::Square square;
    return static_cast<int>(square.id) + 1;
}

/* @block */
namespace zoo {
struct Row {
    const char *name;
    long weight;
};
bool operator<(const Row &left, const Row &right) { return std::strcmp(left.name, right.name) < 0; }
void sort_rows(std::vector<Row> &rows) {
    for (auto &row : rows) row.weight = mix(row.weight, 1);
    std::sort(rows.begin(), rows.end());
}
}  // namespace zoo
extern "C" int zoo_sort() {
    std::vector<zoo::Row> rows(40, zoo::Row{"a", 1});
    rows[20].name = reinterpret_cast<const char *>(0x5a5a5a0000UL + chosen);
    zoo::sort_rows(rows);
    zoo_sink = rows[0].weight;
    return 1;
}

/* @block */
namespace zoo {
struct Pool {
    std::unique_ptr<Shape> held;
    void run(int rounds);
};
void Pool::run(int rounds) {
    std::thread worker([this, rounds] {
        long total = 0;
        for (int round = 0; round < rounds; round++) total = mix(total, held->id);
        zoo_sink = total;
    });
    worker.join();
}
}  // namespace zoo
extern "C" int zoo_thread() {
    zoo::Pool pool;
    pool.run(static_cast<int>(chosen));
    return 1;
}

/* @block */
namespace zoo {
template <typename T>
T checked(const std::vector<T> &values, size_t at) {
    assert(at < values.size());
    return values[at];
}
template long checked(const std::vector<long> &values, size_t at);
}  // namespace zoo
extern "C" int zoo_assert() {
    std::vector<long> values(2);
    zoo_sink = zoo::checked(values, chosen);
    return static_cast<int>(zoo_sink) + 1;
}
/* @end */
