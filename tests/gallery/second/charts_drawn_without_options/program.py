# SPDX-License-Identifier: Apache-2.0
"""A report draws its charts with a native module; most have no options of their own."""

import strokes

CHARTS = {
    "turnover": ([3, 5, 9, 8], 2),
    "returns": ([1, 0, 2, 1], None),
}


def draw_chart(title, points, width):
    dots = strokes.draw(points, width=width) if width else strokes.draw(points)
    return f"{title}: {dots} dots"


def draw_report(charts):
    return [draw_chart(title, points, width) for title, (points, width) in charts.items()]


def main():
    print(draw_report(CHARTS))


main()
