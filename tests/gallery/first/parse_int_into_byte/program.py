# SPDX-License-Identifier: Apache-2.0
"""PyArg_ParseTuple stores a long into a char on the stack; the stack protector finds the
overwritten canary.
"""

import mixer


def configure(level):
    return mixer.set_level(level)


print(configure(0x4142434445464748))
