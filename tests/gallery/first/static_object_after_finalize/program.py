# SPDX-License-Identifier: Apache-2.0
"""A static C++ object's destructor calls Python when the process exits, after the interpreter was
finalized.
"""

import cache


def remember(number):
    for n in range(number):
        cache.store(f"query {n}", {"rows": n})


remember(100)
print("done", flush=True)
