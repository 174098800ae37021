# SPDX-License-Identifier: Apache-2.0
"""Checks the links of a web site with a few threads and says how far it is."""

import http.client
import http.server
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

PAGES = 4000


class Site(http.server.BaseHTTPRequestHandler):
    """The site, on this machine."""

    def do_HEAD(self):
        time.sleep(0.05)
        self.send_response(404 if self.path.endswith("7") else 200)
        self.end_headers()

    def log_message(self, *args):
        pass


def check(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("HEAD", path)
        return path, connection.getresponse().status
    finally:
        connection.close()


def check_all(port, paths):
    broken = []
    with ThreadPoolExecutor(6, thread_name_prefix="checker") as executor:
        jobs = [executor.submit(check, port, path) for path in paths]
        for done, job in enumerate(as_completed(jobs), 1):
            path, status = job.result()
            if status != 200:
                broken.append(path)
            if done % 25 == 0:
                print(done, "checked,", len(broken), "broken", flush=True)
    return broken


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, name="site", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(check_all(server.server_port, ["/page/%d" % n for n in range(PAGES)]))


main()
