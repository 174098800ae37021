# SPDX-License-Identifier: Apache-2.0
"""An extension released the GIL and then allocates a Python object; CPython's own check reports
it as a fatal error or the access to the missing thread state crashes.
"""

import meter


def collect():
    return meter.read_all(1000)


print(collect())
