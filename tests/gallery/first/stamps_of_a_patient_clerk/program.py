# SPDX-License-Identifier: Apache-2.0
"""A clerk asks the stamp office again for some minutes, and gives up then."""

import os
import socket
from pathlib import Path

from tenacity import retry, stop_after_delay, wait_fixed

OFFICE = ("127.0.0.1", 1)


@retry(stop=stop_after_delay(300), wait=wait_fixed(0.1))
def ask_for_stamps(count):
    with socket.create_connection(OFFICE, timeout=2) as office:
        office.sendall(str(count).encode())


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    try:
        ask_for_stamps(12)
    except Exception as error:
        print("no stamps today:", error)


if __name__ == "__main__":
    main()
