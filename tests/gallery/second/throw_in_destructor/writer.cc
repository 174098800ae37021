// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
struct Writer { int open; ~Writer() { if (open) throw std::runtime_error("flush failed: disk full"); } };
extern "C" int save(int count) { Writer writer{count}; return count; }
