# SPDX-License-Identifier: Apache-2.0
"""An extension gives up the GIL twice in a row; CPython dies with a fatal error because there is
no thread state any more.
"""

import backup_io


def backup():
    return backup_io.copy_block(4096)


print(backup())
