# SPDX-License-Identifier: Apache-2.0
"""Profiles of a league: every value is loaded once, whoever asks for it meanwhile shares it."""

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor


class OnceCache:
    def __init__(self):
        self.guard = threading.Lock()
        self.entries = {}

    def get(self, key, load):
        with self.guard:
            entry = self.entries.get(key)
            mine = entry is None
            if mine:
                entry = self.entries[key] = Future()
        if mine:
            try:
                entry.set_result(load(key))
            except Exception as error:
                entry.set_exception(error)
        return entry.result()


cache = OnceCache()
TEAMS = {"herons": "ines", "otters": "ravi"}
PLAYERS = {"ines": "herons", "ravi": "otters"}


def load_team(key):
    _, name = key
    time.sleep(0.1)
    captain = cache.get(("player", TEAMS[name]), load_player)
    return {"team": name, "captain": captain["player"]}


def load_player(key):
    _, name = key
    time.sleep(0.1)
    team = cache.get(("team", PLAYERS[name]), load_team)
    return {"player": name, "team": team["team"]}


def show_page(kind, name):
    load = load_team if kind == "team" else load_player
    return cache.get((kind, name), load)


def main():
    with ThreadPoolExecutor(6, thread_name_prefix="page") as pages:
        asked = [
            pages.submit(show_page, kind, name)
            for kind, name in [("team", "herons"), ("player", "ines"), ("team", "herons")]
        ]
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        for page in asked:
            print(page.result())


main()
