# SPDX-License-Identifier: Apache-2.0
"""The process used up its limit of CPU time (RLIMIT_CPU); the kernel ended it with SIGXCPU while
it computed.
"""

import resource


def sieve(limit):
    found = []
    for number in range(2, limit):
        if all(number % other for other in found[:200]):
            found.append(number)
    return found


resource.setrlimit(resource.RLIMIT_CPU, (1, 5))
print(len(sieve(10_000_000)))
