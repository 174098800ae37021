# SPDX-License-Identifier: Apache-2.0
"""Pigments and how they mix."""

PIGMENTS = {
    "madder": (190, 40, 45),
    "weld": (220, 200, 60),
    "woad": (40, 70, 140),
    "walnut": (80, 55, 40),
}


def mix(parts):
    """Return the colour of a mixture by parts."""
    whole = sum(parts) or 1
    shades = PIGMENTS.values()
    return tuple(
        sum(part * shade[channel] for part, shade in zip(parts, shades)) / whole
        for channel in range(3)
    )


def distance(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5
