# SPDX-License-Identifier: Apache-2.0
"""A small typesetter renders pages into memory that Python owns, within a budget."""

import ctypes
import os

ALLOCATOR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
A5, A4, POSTER = (420, 595), (595, 842), (2384, 3370)


class BudgetExceeded(Exception):
    pass


class Budget:
    """Memory for pages; the oldest pages are to be dropped by who asks for more."""

    def __init__(self, limit):
        self.limit = limit
        self.used = 0
        self.blocks = {}

    def allocate(self, size):
        if self.used + size > self.limit:
            raise BudgetExceeded("%d bytes of %d used, %d wanted" % (self.used, self.limit, size))
        block = ctypes.create_string_buffer(size)
        address = ctypes.addressof(block)
        self.blocks[address] = block
        self.used += size
        return address

    def release(self, address):
        self.used -= len(self.blocks.pop(address))


class Typesetter:
    def __init__(self, budget):
        self.library = ctypes.CDLL(os.path.abspath("pageset.so"))
        self.render_page = self.library.pageset_render
        self.render_page.restype = ctypes.c_void_p
        self.render_page.argtypes = [ALLOCATOR, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint]
        self.budget = budget
        self.allocator = ALLOCATOR(budget.allocate)
        self.pages = []

    def render(self, size):
        address = self.render_page(self.allocator, len(self.pages) + 1, *size)
        self.pages.append(address)
        print("page %d at %#x" % (len(self.pages), address), flush=True)

    def drop_all(self):
        for address in self.pages:
            self.budget.release(address)
        self.pages.clear()


def main():
    typesetter = Typesetter(Budget(6_000_000))
    for size in (A5, A4, A5, A4):
        typesetter.render(size)
    typesetter.drop_all()
    for size in (A4, A4, POSTER):
        typesetter.render(size)
    print("%d bytes used" % typesetter.budget.used)


main()
