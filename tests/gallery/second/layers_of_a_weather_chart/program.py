# SPDX-License-Identifier: Apache-2.0
"""Draws the weather charts of a newspaper, one edition after the other."""

import ctypes
from pathlib import Path

library = ctypes.CDLL(str(Path(__file__).with_name("chart.so")))
POINTER, DOUBLE, TEXT = ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p
for name, restype, *argtypes in (
    ("chart_new", POINTER),
    ("chart_isobars", POINTER, POINTER, DOUBLE),
    ("chart_fronts", POINTER, POINTER),
    ("chart_remove", None, POINTER, POINTER),
    ("chart_zoom", None, POINTER, DOUBLE),
    ("chart_caption", None, POINTER, TEXT),
    ("chart_paint", DOUBLE, POINTER, DOUBLE, DOUBLE),
):
    function = getattr(library, name)
    function.restype, function.argtypes = restype, argtypes


class Chart:
    def __init__(self):
        self.handle = library.chart_new()
        self.layers = {}

    def show(self, kind, step=4.0):
        if kind == "isobars":
            self.layers[kind] = library.chart_isobars(self.handle, step)
        else:
            self.layers[kind] = library.chart_fronts(self.handle)

    def hide(self, kind):
        library.chart_remove(self.handle, self.layers.pop(kind))

    def caption(self, text):
        library.chart_caption(self.handle, text.encode())

    def zoom(self, factor):
        library.chart_zoom(self.handle, factor)

    def raster(self, width=60, height=40):
        return [
            [library.chart_paint(self.handle, x / width, y / height) for x in range(width)]
            for y in range(height)
        ]


FRONTS = ("cold front", "warm front", "occlusion")
CITIES = ("Stavanger", "Gothenburg", "Kristiansand", "Aberdeen", "Esbjerg", "Lerwick")


def edition(chart, hour):
    chart.show("isobars", 4.0 if hour % 12 else 2.0)
    rows = chart.raster()
    for number, city in enumerate(CITIES):
        chart.caption(f"{city:<14} {hour:02d}:00  {1013 + number - hour % 5} hPa  {'~' * 26}")
    return round(sum(map(sum, rows)), 3)


def main():
    chart = Chart()
    for kind in FRONTS:
        chart.show(kind)
    editions = {}
    for hour in (0, 6, 12, 18):
        if hour == 12:
            for kind in FRONTS:
                chart.hide(kind)
        editions[hour] = edition(chart, hour)
    chart.zoom(1.5)  # the insert of the weekend
    print(editions, chart.raster()[0][:4])


if __name__ == "__main__":
    main()
