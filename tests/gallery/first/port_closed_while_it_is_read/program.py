# SPDX-License-Identifier: Apache-2.0
"""A port is read by a thread and closed by another one."""

import threading
import time

import port


def listen(line, sums):
    sums.append(line.read(40))


def main():
    line = port.Port(8 << 20)
    print(line.read(1), flush=True)
    sums = []
    reader = threading.Thread(target=listen, args=(line, sums))
    reader.start()
    time.sleep(0.1)
    line.close()
    reader.join()
    print(sums)


main()
