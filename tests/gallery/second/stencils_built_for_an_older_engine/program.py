# SPDX-License-Identifier: Apache-2.0
"""An image tool blurs with a plugin; the plugin finds the engine's functions in a capsule."""

import engine
import stencil


def load(width, height):
    """Return a picture as a grid of the engine."""
    grid = engine.new_grid(width * height)
    engine.check(grid)
    return grid


def blur(grid, passes):
    for _ in range(passes):
        stencil.smooth(grid, 3)
    return grid


def main():
    grid = load(320, 200)
    print("cells:", engine.check(grid))
    print(engine.check(blur(grid, 4)))


main()
