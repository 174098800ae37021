# SPDX-License-Identifier: Apache-2.0
"""A link checker asks each site for its rules before it visits a page."""

import json
import multiprocessing
import os
import socket
import time
import urllib.request
import urllib.robotparser

AGENT = "link-checker/2.1"


def parked_site(listener):
    """A site whose front takes connections while its backend is gone."""
    visitors = []
    while True:
        visitors.append(listener.accept())
        time.sleep(0.1)


class Rules:
    def __init__(self):
        self.known = {}

    def of_site(self, site):
        if site not in self.known:
            rules = urllib.robotparser.RobotFileParser(f"{site}/robots.txt")
            rules.read()
            self.known[site] = rules
        return self.known[site]

    def allow(self, site, path):
        return self.of_site(site).can_fetch(AGENT, site + path)


def check(site, paths):
    rules = Rules()
    return [path for path in paths if rules.allow(site, path)]


def main():
    urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    multiprocessing.Process(target=parked_site, args=(listener,), daemon=True).start()
    listener.close()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(check(f"http://127.0.0.1:{port}", ["/news", "/about"]))


main()
