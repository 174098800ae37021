# SPDX-License-Identifier: Apache-2.0
"""One thread holds the settings' lock and imports a module; another is importing that module,
whose body reads a setting.
"""

import os
import threading
import time

import settings


def quote_shipping(weight):
    import carriers

    return carriers.quote(weight)


def handle_request(weight):
    return quote_shipping(weight)


def reload_settings(held):
    settings.reload({"timeout": 9}, held)


def main():
    held = threading.Event()
    threads = [threading.Thread(target=reload_settings, args=(held,), name="reloader")]
    threads[0].start()
    held.wait()
    threads.append(threading.Thread(target=handle_request, args=(12,), name="request"))
    threads[1].start()
    time.sleep(1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
