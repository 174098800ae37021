# SPDX-License-Identifier: Apache-2.0
"""An extension's constructor tracks an object that its allocator has tracked already; CPython ends
the process.
"""

import cells


def fill_sheet(rows):
    return [[cells.Cell(row * column) for column in range(3)] for row in range(rows)]


print(len(fill_sheet(4)))
