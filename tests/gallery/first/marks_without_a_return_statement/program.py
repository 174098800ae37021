# SPDX-License-Identifier: Apache-2.0
"""Marks are given by points."""

import marks as m


def grade(x):
    return m.grade(x)


print(grade(95))
print(grade(10))
