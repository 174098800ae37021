# SPDX-License-Identifier: Apache-2.0
"""A node is moved from one document into another. Its name still lies in the pool of strings of the
first document, which is freed; writing the second document reads it."""

import ctypes
import os

tree = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tree.so"))
tree.document_new.restype = tree.node_new.restype = ctypes.c_void_p
tree.document_free.argtypes = [ctypes.c_void_p]
tree.node_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
tree.document_append.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
tree.document_write.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long]


class Document:
    def __init__(self):
        self.handle = tree.document_new()

    def element(self, name):
        return tree.node_new(self.handle, name.encode())

    def append(self, node):
        tree.document_append(self.handle, node)

    def text(self):
        buffer = ctypes.create_string_buffer(10_000)
        size = tree.document_write(self.handle, buffer, len(buffer))
        return buffer.raw[:size]

    def __del__(self):
        tree.document_free(self.handle)


def read_part(names):
    part = Document()
    return part, [part.element(name) for name in names]


def merge(feeds):
    whole = Document()
    for names in feeds:
        part, nodes = read_part(names)
        for node in nodes:
            whole.append(node)
    return whole


def main():
    feed = merge([["title", "link"], ["item", "guid"]])
    print(feed.text())


main()
