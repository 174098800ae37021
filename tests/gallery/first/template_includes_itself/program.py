# SPDX-License-Identifier: Apache-2.0
"""A template includes itself by way of another. The native renderer keeps a line buffer of 64 KB on
the stack of each level and asks Python for the included template, which renders it: the stack is
used up."""

import ctypes
import os

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "render.so"))
Include = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_char_p)
native.render.argtypes = [ctypes.c_char_p, Include]
native.render.restype = ctypes.c_long

TEMPLATES = {
    b"page": b"<body>{menu} {news}</body>",
    b"news": b"<ul><li>Open on Sunday</li></ul>",
    b"menu": b"<nav>{footer}</nav>",
    b"footer": b"<footer>{menu}</footer>",
}


def render(name):
    return native.render(TEMPLATES[name], include)


@Include
def include(name):
    return render(name)


def respond(pages):
    for name in pages:
        print(name, render(name), "bytes")


def main():
    respond([b"news", b"page"])


main()
