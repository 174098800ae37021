"""All-sky camera: finds meteors, within the memory that the observatory grants a job."""

import ctypes
import os
import resource

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT = 640, 480
GRANT = 512 << 20


def load_library():
    library = ctypes.CDLL(os.path.join(HERE, "trails.so"))
    library.trails_open.restype = ctypes.c_void_p
    library.trails_find.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    library.trails_find.restype = ctypes.c_size_t
    library.trails_count.argtypes = [ctypes.c_void_p]
    library.trails_count.restype = ctypes.c_size_t
    return library


def limit_memory(grant):
    """What the batch system does by ulimit -v before it starts a job."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + grant
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def frames(night):
    """Return the frames of a night; towards the morning the sky is bright everywhere."""
    size = WIDTH * HEIGHT
    dark = bytes((i * 7 + night) % 23 for i in range(251)) * (size // 251 + 1)
    bright = bytes(200 + i % 50 for i in range(251)) * (size // 251 + 1)
    for number in range(60):
        yield (dark if number < 20 else bright)[:size]


class Camera:
    def __init__(self, library):
        self.library = library
        self.store = library.trails_open()

    def examine(self, frame, threshold=180):
        return self.library.trails_find(self.store, frame, len(frame), threshold)

    def total(self):
        return self.library.trails_count(self.store)


def main():
    library = load_library()
    limit_memory(GRANT)
    camera = Camera(library)
    for number, frame in enumerate(frames(11)):
        found = camera.examine(frame)
        if found:
            print(f"frame {number}: {found} trails, {camera.total()} so far", flush=True)
    print("trails of the night:", camera.total())


main()
