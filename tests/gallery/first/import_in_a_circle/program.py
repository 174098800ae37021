# SPDX-License-Identifier: Apache-2.0
"""Importing a module starts a thread that imports the same module, and waits for that thread:
the import lock is held by the waiter.
"""

import os
import threading
import time


def tell():
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


threading.Thread(target=tell).start()
import plugin_main
