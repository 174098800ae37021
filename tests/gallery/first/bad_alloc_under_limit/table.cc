// SPDX-License-Identifier: Apache-2.0
#include <vector>
static std::vector<std::vector<long>> keep;
extern "C" int load_rows(long rows) noexcept
{
    keep.emplace_back(rows, 1L);
    return keep.size();
}
