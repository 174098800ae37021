// SPDX-License-Identifier: Apache-2.0
// Die below templates, an anonymous namespace, operators and a lambda: names that GDB prints
// demangled and a core gives mangled.
#include <functional>
#include <string>

namespace outer {
namespace {
template <typename T> struct Box {
  T value;
  [[gnu::noinline]] int operator()(int n) const {
    volatile int *null = nullptr;
    *null = n;
    return n;
  }
};
}  // namespace

template <typename T, int N> [[gnu::noinline]] int deep(const T &box, std::string) {
  return box(N) + 1;
}

struct Op {
  [[gnu::noinline]] Op operator<<(int n) {
    Box<int> box{n};
    deep<Box<int>, 7>(box, "text");
    return *this;
  }
};
}  // namespace outer

int main() {
  std::function<int(int)> call = [](int n) {
    outer::Op op;
    op << n;
    return n;
  };
  return call(3);
}
