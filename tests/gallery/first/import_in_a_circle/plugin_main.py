# SPDX-License-Identifier: Apache-2.0
"""A module beside the program."""

import threading


def worker():
    import plugin_main

    return plugin_main.VALUE


thread = threading.Thread(target=worker)
thread.start()
thread.join()
VALUE = 3
