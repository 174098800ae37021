# SPDX-License-Identifier: Apache-2.0
"""Development server: runs the site in a child, and again whenever its source has changed."""

import http.server
import os
import subprocess
import sys
import threading
import time

CHANGED = 3


def serve():
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getppid())
    before = os.stat(__file__).st_mtime
    while os.stat(__file__).st_mtime == before:
        time.sleep(0.5)
    os._exit(CHANGED)


def run_with_reloader():
    while True:
        environment = {**os.environ, "SITE_CHILD": "1"}
        status = subprocess.call([sys.executable, *sys.argv], env=environment)
        if status != CHANGED:
            return status
        print("changed, starting again", flush=True)


def main():
    if os.environ.get("SITE_CHILD"):
        serve()
    else:
        sys.exit(run_with_reloader())


main()
