# SPDX-License-Identifier: Apache-2.0
"""A function of an extension takes any object and reads it as its own type; given a float, it
follows the float's bits as a pointer.
"""

import shapes


def route(points):
    return [shapes.length_of(point) for point in points]


print(route([shapes.Line(), 2.75]))
