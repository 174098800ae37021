# SPDX-License-Identifier: Apache-2.0
"""A C++ library calls a std::function that was never set."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("events.so"))


def poll_events(topics):
    return [library.deliver(topic, 7) for topic in topics]


def main():
    library.listen(b"price")
    library.listen(b"volume")
    print(poll_events([b"price", b"volume"]))
    print(poll_events([b"price", b"status"]))


main()
