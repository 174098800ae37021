# SPDX-License-Identifier: Apache-2.0
"""A supervisor of survey processes: it waits on their sentinels and pipes, and starts who has fallen."""  # noqa: E501

import multiprocessing
import multiprocessing.connection
import os
import signal

from survey import survey


class Team:
    def __init__(self, context, sites):
        self.context = context
        self.pipes, self.members = {}, {}
        self.results = {}
        for site, seconds in sites.items():
            self.start(site, seconds)

    def start(self, site, seconds):
        ours, theirs = self.context.Pipe(duplex=False)
        process = self.context.Process(
            target=survey, args=(site, seconds, theirs), name=site, daemon=True
        )
        process.start()
        theirs.close()
        self.pipes[ours] = site
        self.members[process.sentinel] = process

    def follow(self):
        """Yield what the members tell, until all have ended."""
        while self.members:
            for event in multiprocessing.connection.wait([*self.pipes, *self.members]):
                if event in self.members:
                    process = self.members.pop(event)
                    process.join()
                    yield "ended", process.name, process.exitcode
                    continue
                try:
                    yield "told", self.pipes[event], event.recv()
                except EOFError:
                    del self.pipes[event]
                    event.close()


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    context = multiprocessing.get_context("spawn")
    team = Team(context, {"Solnhofen": 0.2, "Carrara": 3600})
    begun = set()
    for kind, site, what in team.follow():
        print(kind, site, what, flush=True)
        if kind == "ended" or what == "begun":
            begun.add((kind, site))
        if {("ended", "Solnhofen"), ("told", "Carrara")} <= begun:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


if __name__ == "__main__":
    main()
