# SPDX-License-Identifier: Apache-2.0
"""A museum's key is fetched by a porter before it opens; the porter goes home with it."""

import os
import threading


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


key = threading.Lock()
porter = threading.Thread(target=key.acquire, name="porter", daemon=True)
porter.start()
porter.join()
tell()
with key:
    print("the museum is open")
