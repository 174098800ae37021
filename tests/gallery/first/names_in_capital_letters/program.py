# SPDX-License-Identifier: Apache-2.0
"""Names are put in capital letters."""

import capitals as m


def shout(names):
    return [m.upper(n) for n in names]


print(shout(["abc", "straße"]))
print([len(repr(x)) for x in shout(["żółć" * 40, "日本" * 30] * 200)][:3])
print(len([str(i) * 9 for i in range(9000)]))
