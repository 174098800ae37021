# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die with files, streams and buffers among the locals."""

import array
import contextlib
import io
import mmap
import os
import selectors
import socket
import subprocess
import sys
import tempfile

import deathbed
from values import dying


class OwnRaw(io.FileIO):
    pass


class OwnText(io.TextIOWrapper):
    pass


class OwnBytes(io.BytesIO):
    pass


def files(way):
    path = os.path.join(os.getcwd(), "some 'file'.txt")
    raw = io.FileIO(path, "w")
    raw_read = io.FileIO(path)
    raw_update = io.FileIO(path, "r+")
    raw_append = io.FileIO(path, "a")
    raw_append_read = io.FileIO(path, "a+")
    raw_new = io.FileIO(path + ".new", "x")
    raw_by_number = io.FileIO(os.dup(1), "w", closefd=True)
    raw_kept = io.FileIO(raw.fileno(), "w", closefd=False)
    raw_closed = io.FileIO(path)
    raw_closed.close()
    own_raw = OwnRaw(path)
    buffered_read = open(path, "rb")
    buffered_write = open(path, "wb")
    buffered_both = open(path, "r+b")
    buffered_closed = open(path, "rb")
    buffered_closed.close()
    pair = io.BufferedRWPair(raw_read, raw)
    text_write = open(path, "w", encoding="utf-8")
    text_read = open(path, encoding="latin-1")
    text_closed = open(path, "a", encoding="ascii")
    text_closed.close()
    own_text = OwnText(buffered_write, "utf-8")
    of_bytes = io.TextIOWrapper(io.BytesIO(b"x"), "utf-8")
    standard = [sys.stdout, sys.stderr, sys.stdin]
    detached = io.TextIOWrapper(io.BytesIO(), "utf-8")
    detached.detach()
    os.unlink(path), os.unlink(path + ".new")
    buffers(way)
    return locals()


def buffers(way):
    text, text_closed = io.StringIO("abc"), io.StringIO()
    text_closed.close()
    raw, own = io.BytesIO(b"abc"), OwnBytes(b"x")
    view = memoryview(b"abcdef")
    matrix = memoryview(bytearray(24)).cast("i", (2, 3))
    part = memoryview(bytearray(b"0123456789"))[2:8:2]
    released = memoryview(b"gone")
    released.release()
    exported = raw.getbuffer()
    arrays = [array.array(code, [1, 2, 3]) for code in "bBhHiIlLqQfd"]
    words = array.array("u", "wörld €")
    empty_words, one = array.array("u"), array.array("B", range(200))
    decoder = io.IncrementalNewlineDecoder(None, True)
    mapped = mmap.mmap(-1, 4096)
    mapped_closed = mmap.mmap(-1, 4096)
    mapped_closed.close()
    left, right = socket.socketpair()
    closed_socket = socket.socket()
    closed_socket.close()
    chooser = selectors.DefaultSelector()
    entry = chooser.register(left, selectors.EVENT_READ, "data")
    opened = tempfile.TemporaryFile()
    spooled = tempfile.SpooledTemporaryFile()
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    stack = contextlib.ExitStack()
    listing = os.scandir(".")
    listing.close()
    status = os.stat(".")
    numbers = os.terminal_size((80, 24))
    devices = socket.SHUT_RD, socket.AF_INET, socket.SOCK_STREAM
    names = os.environ.get("LC_ALL"), os.name
    dying(way, None)
    return locals()


if __name__ == "__main__":
    files(deathbed.prepare("raise"))
