# SPDX-License-Identifier: Apache-2.0
"""Worker threads that keep an arena of scratch memory each, given back when the thread ends."""

import ctypes
import threading

libc = ctypes.CDLL(None)
libc.pthread_setspecific.argtypes = [ctypes.c_uint, ctypes.c_void_p]
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Arenas:
    def __init__(self, size):
        self.size = size
        self.key = ctypes.c_uint()
        self.released = []
        libc.pthread_key_create(ctypes.byref(self.key), RELEASE(self.release))

    def release(self, arena):
        self.released.append(arena)
        libc.free(arena)

    def open(self):
        arena = libc.malloc(self.size)
        libc.pthread_setspecific(self.key, arena)
        return arena


def resize(arenas, images):
    arena = arenas.open()
    ctypes.memset(arena, 0, arenas.size)
    images.append(arena % 4096)


def main():
    arenas = Arenas(1 << 16)
    images = []
    for _ in range(8):
        worker = threading.Thread(target=resize, args=(arenas, images), name="resizer")
        worker.start()
        worker.join()
    print(len(images), len(arenas.released))


main()
