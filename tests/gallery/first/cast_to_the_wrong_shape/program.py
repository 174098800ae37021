# SPDX-License-Identifier: Apache-2.0
"""A cutting machine plans the laser's way around each shape of a sheet."""

import ctypes
import os

shapes = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes.so"))
shapes.make_shape.restype = ctypes.c_void_p
shapes.make_shape.argtypes = [ctypes.c_int, ctypes.c_double]
for function in (shapes.shape_area, shapes.laser_path):
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_void_p]


def place(sheet):
    return [shapes.make_shape(kind, size) for kind, size in sheet]


def plan(sheet):
    placed = place(sheet)
    waste = 10000 - sum(map(shapes.shape_area, placed))
    return waste, sum(shapes.laser_path(shape) for shape in placed)


def cut(sheets):
    return [plan(sheet) for sheet in sheets]


print(cut([[(1, 4.0), (1, 2.5)], [(1, 3.0), (0, 7.0)]]))
