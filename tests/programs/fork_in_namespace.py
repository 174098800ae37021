# SPDX-License-Identifier: Apache-2.0
"""Start a thread that holds a lock, fork when asked to, and stay; for dumps from outside.

namespaced.py FILE_THAT_SAYS_READY [fork]
"""

import os
import sys
import threading
import time

lock = threading.Lock()


def hold():
    with lock:
        time.sleep(600)


def main():
    threading.Thread(target=hold, name="holder", daemon=True).start()
    time.sleep(0.3)
    if "fork" in sys.argv and os.fork():
        time.sleep(600)
    with open(sys.argv[1] + ".partial", "w") as handle:
        handle.write(os.readlink("/proc/self"))
    os.rename(sys.argv[1] + ".partial", sys.argv[1])
    time.sleep(600)


if __name__ == "__main__":
    main()
