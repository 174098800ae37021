# SPDX-License-Identifier: Apache-2.0
"""A task runner in the manner of Celery: it warms its plugins in a thread and forks workers."""

import json
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
loading = threading.Event()
sys.plugin_started = loading.set


def warm_plugins():
    """Load in the background what most tasks need."""
    import thumbnails  # noqa: F401


def run_task(size):
    import thumbnails

    return thumbnails.scale(size)


def worker_main():
    status = 0 if run_task(640) else 1
    os._exit(status)


def main():
    threading.Thread(target=warm_plugins, name="warm-up", daemon=True).start()
    loading.wait()
    worker = os.fork()
    if worker == 0:
        worker_main()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": worker}) + "\n")
    print(os.waitpid(worker, 0))


main()
