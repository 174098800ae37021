# SPDX-License-Identifier: Apache-2.0
"""A link checker of a town's web site: addresses are rewritten by rules until they are settled."""

import json
import os
import re
from urllib.parse import urlsplit, urlunsplit

RULES = []


def rule(function):
    RULES.append(function)
    return function


@rule
def lower_host(url):
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.lower()))


@rule
def drop_default_port(url):
    return re.sub(r"^(http://[^/]+):80(?=/|$)", r"\1", url)


@rule
def close_folder(url):
    """What has no extension is a folder."""
    parts = urlsplit(url)
    name = parts.path.rpartition("/")[2]
    if name and "." not in name:
        parts = parts._replace(path=parts.path + "/")
    return urlunsplit(parts)


@rule
def drop_index(url):
    return re.sub(r"/index\.html?$", "/", url)


@rule
def open_language_folder(url):
    """The language pages are files: /de/ is served as /de."""
    return re.sub(r"/(de|fr|it)/$", r"/\1", url)


def one_change(url):
    for each in RULES:
        changed = each(url)
        if changed != url:
            return changed, each.__name__
    return url, None


class Checker:
    def __init__(self):
        self.settled = {}
        self.rewrites = 0

    def settle(self, url):
        current, last_rule = one_change(url)
        while last_rule is not None:
            self.rewrites += 1
            current, last_rule = one_change(current)
        self.settled[url] = current
        return current


def links():
    yield "HTTP://Town.Example:80/Council/index.html"
    yield "http://town.example/waste/calendar.pdf"
    yield "http://TOWN.example/library"
    yield "http://town.example/guests/fr"
    yield "http://town.example/archive/index.htm"


def main():
    checker = Checker()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for link in links():
        print(link, "->", checker.settle(link), flush=True)


main()
