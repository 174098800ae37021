# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "real-libgomp", "arguments": ["libgomp"]}
# forks: {"name": "real-openblas", "arguments": ["openblas"], "packages": ["numpy"]}
# forks: {"name": "real-getaddrinfo", "arguments": ["resolver"]}
# forks: {"name": "real-tzset", "arguments": ["timezone"]}
# forks: {"name": "real-malloc", "arguments": ["malloc"]}
# forks: {"name": "real-tcmalloc", "arguments": ["tcmalloc"]}
# forks: {"name": "real-jemalloc", "arguments": ["jemalloc"]}
"""Known bugs of the class, in C libraries: GCC PR60035 (libgomp), OpenBLAS 294, luigi 534 and
openpbs 2299 (getaddrinfo), glibc's tzset, gperftools 499, jemalloc 2402, and malloc after a fork
that bypasses glibc's handlers.

Where a lock is held for moments only, the parent forks until a child is caught.
"""

import ctypes
import glob
import os
import socket
import sys
import threading
import time

import deathbed
import forkbed

LIBC = ctypes.CDLL(None)
# Keeps the GIL: after a fork that CPython knows nothing of, nobody would hand it back.
KEEPING = ctypes.PyDLL(None)
CLONE_NEWNS = 0x20000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
TRIES = 2000


def fifo():
    """Make a pipe with a name, which nobody will ever write to."""
    path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "fifo")
    os.mkfifo(path)
    return path


def start(function):
    """Start the thread that is to hold the lock; wait until it sits still."""
    threading.Thread(target=function, name="holder", daemon=True).start()
    time.sleep(0.2)
    deathbed.gather(0)


def catch(child, fork, **facts):
    """Fork until a child does not come back from `child()`."""
    for _ in range(TRIES):
        vanished = forkbed.others()
        for one in vanished:
            one["frames"] = None  # these threads do not sit still
        pid = fork()
        if pid == 0:
            child()
            os._exit(0)
        deadline = time.monotonic() + 1
        while forkbed.alive(pid):
            if time.monotonic() >= deadline:
                if forkbed.end_in_futex(pid, vanished, **facts):
                    return
                break  # it was only slow
            time.sleep(0.002)
    sys.exit(f"none of {TRIES} children hung")


def libgomp():
    """The pool of OpenMP's threads is not re-made in a child."""
    library = ctypes.CDLL("libgomp.so.1")

    def parallel():
        library.GOMP_parallel(LIBC.labs, None, 2, 0)

    parallel()
    time.sleep(0.2)
    forkbed.hang_in_child(parallel, verdict="lost-wakeup")


def openblas():
    """OpenBLAS re-makes its pool in a handler of pthread_atfork(), which _Fork() does not run."""
    os.environ["OPENBLAS_NUM_THREADS"] = "2"
    import numpy

    matrix = numpy.ones((400, 400))

    def multiply():
        numpy.dot(matrix, matrix)

    multiply()
    time.sleep(0.2)
    forkbed.hang_in_child(multiply, fork=KEEPING._Fork, bypass=True, spinning=True,
                          verdict="lost-wakeup")  # fmt: skip


def resolver():
    """glibc reads /etc/resolv.conf with a lock held."""
    path = fifo()
    if LIBC.unshare(CLONE_NEWNS) or LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        sys.exit("this needs a mount namespace")
    if LIBC.mount(path.encode(), b"/etc/resolv.conf", None, MS_BIND, None):
        sys.exit("/etc/resolv.conf cannot be replaced")

    def look_up():
        socket.getaddrinfo("name.invalid", 80)

    start(look_up)
    forkbed.hang_in_child(lambda: socket.getaddrinfo("other.invalid", 80), hold="look_up")


def timezone():
    """glibc reads the file of a time zone with a lock held; C code does so without the GIL."""
    os.environ["TZ"] = ":" + fifo()

    def set_timezone():
        LIBC.tzset()

    start(set_timezone)
    forkbed.hang_in_child(time.localtime, hold="set_timezone")


def malloc():
    """malloc_trim() holds the arena's lock for long; _Fork() does not free that lock."""
    kept = [bytes(100_000) for _ in range(1000)]
    del kept[::2]

    def trim():
        while True:
            LIBC.malloc_trim(0)

    def allocate():
        for size in range(2000, 120_000, 2000):
            KEEPING.malloc(size)

    threading.Thread(target=trim, name="holder", daemon=True).start()
    catch(allocate, KEEPING._Fork, bypass=True, hold="trim")


def preloaded(name):
    """Start this program again with a library preloaded, unless that is so."""
    cache = os.environ.get("GDB_EPI_CACHE") or os.path.expanduser("~/.cache/gdb-epi")
    places = ("/usr/lib/x86_64-linux-gnu", f"{cache}/debs/usr/lib/x86_64-linux-gnu")
    found = [path for place in places for path in glob.glob(f"{place}/{name}")]
    if not found:
        sys.exit(f"{name} is not installed")
    if "LD_PRELOAD" not in os.environ:
        os.environ["LD_PRELOAD"] = found[0]
        os.execv(sys.executable, [sys.executable, *sys.argv])


def tcmalloc():
    """Its page heap gives memory back with its lock held; _Fork() runs none of its handlers."""
    preloaded("libtcmalloc_minimal.so.4")
    LIBC.malloc.restype = ctypes.c_void_p
    LIBC.free.argtypes = [ctypes.c_void_p]

    def release():
        while True:
            for block in [LIBC.malloc(8 << 20) for _ in range(4)]:
                LIBC.memset(ctypes.c_void_p(block), 1, 8 << 20)
                LIBC.free(block)
            LIBC.MallocExtension_ReleaseFreeMemory()

    def allocate():
        for _ in range(50):
            KEEPING.malloc(3 << 20)

    threading.Thread(target=release, name="holder", daemon=True).start()
    catch(allocate, KEEPING._Fork, bypass=True, hold="release")


def jemalloc():
    """Its handlers make a fork safe, but _Fork() runs none of them."""
    preloaded("libjemalloc.so.2")

    def purge():
        while True:
            for arena in range(8):
                LIBC.mallctl(b"arena.%d.purge" % arena, None, None, None, 0)

    def churn():
        LIBC.malloc.restype = ctypes.c_void_p
        LIBC.free.argtypes = [ctypes.c_void_p]
        while True:
            for block in [LIBC.malloc(2 << 20) for _ in range(16)]:
                LIBC.free(block)

    def allocate():
        for _ in range(50):
            KEEPING.malloc(3 << 20)
        KEEPING.mallctl(b"arena.0.purge", None, None, None, 0)

    threading.Thread(target=purge, name="holder", daemon=True).start()
    threading.Thread(target=churn, name="churner", daemon=True).start()
    catch(allocate, KEEPING._Fork, bypass=True, hold="purge")


SCENES = {
    "libgomp": libgomp,
    "openblas": openblas,
    "resolver": resolver,
    "timezone": timezone,
    "malloc": malloc,
    "tcmalloc": tcmalloc,
    "jemalloc": jemalloc,
}


def main():
    SCENES[sys.argv[2]]()
    os._exit(0)


if __name__ == "__main__":
    main()
