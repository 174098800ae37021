# SPDX-License-Identifier: Apache-2.0
"""The process forks while a thread waits inside a buffered stream; the child wants to write to
its copy of the stream, whose lock nobody there will release.
"""

import fcntl
import os
import struct
import termios
import threading
import time


def send_line(stream, text):
    stream.write(text)
    stream.flush()


def audit(stream):
    send_line(stream, b"child was here\n")


def waiting_bytes(descriptor):
    return struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"    "))[0]


def main():
    reader, writer = os.pipe()
    size = fcntl.fcntl(reader, 1032)  # F_GETPIPE_SZ
    stream = os.fdopen(writer, "wb")
    threading.Thread(target=send_line, args=(stream, bytes(1 << 20)), daemon=True).start()
    while waiting_bytes(reader) < size:
        time.sleep(0.01)
    if os.fork() == 0:
        with open("ready.part", "w") as file:
            file.write("%d\n" % os.getpid())
        os.rename("ready.part", "ready")
        audit(stream)
        os._exit(0)
    time.sleep(600)


main()
