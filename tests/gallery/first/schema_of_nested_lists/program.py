# SPDX-License-Identifier: Apache-2.0
"""A schema of nested lists is hashed."""


def nest(depth):
    t = int
    for i in range(depth):
        t = list[t]
    return t


def schema_hash(depth):
    return hash(nest(depth))


print(schema_hash(200_000))
