# SPDX-License-Identifier: Apache-2.0
"""The mill's control program: its plugins are loaded beside it, its figures shown on a page."""

import importlib
import os
import threading
import time

PLUGINS = ("figures_page",)


def load_plugins():
    for name in PLUGINS:
        importlib.import_module(name)


def record(sacks):
    from figures_page import show

    show("sacks", sacks)


def main():
    threading.Thread(target=load_plugins, name="plugins", daemon=True).start()
    time.sleep(1.0)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for sacks in range(0, 400, 40):
        record(sacks)


main()
