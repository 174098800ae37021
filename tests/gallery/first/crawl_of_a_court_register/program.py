# SPDX-License-Identifier: Apache-2.0
import os

from defer import Deferred
from engine import Engine
from reactor import Reactor


class Throttle:
    """Lets the answers of a busy court through one after the other."""

    def __init__(self, reactor):
        self.reactor = reactor
        self.held = {}

    def process(self, request, answer):
        if answer["status"] != 503:
            return answer
        court = request.split("/")[0]
        self.held[court] = later = Deferred()
        self.reactor.call_later(0.3, self.let_through, court, answer)
        return later

    def let_through(self, court, answer):
        waiting = self.held.pop(court, None)
        if waiting is not None:
            waiting.fire({**answer, "status": 200})


class Decode:
    def process(self, request, answer):
        return request, answer["body"].decode()


def download(request):
    number = int(request.rpartition("/")[2])
    status = 503 if number in (4, 11, 12) else 200
    return {"status": status, "body": b"case %d" % number}


reactor = Reactor()
engine = Engine(reactor, download, [Throttle(reactor), Decode()])
for number in range(20):
    engine.crawl(f"{'north' if number < 10 else 'south'}/case/{number}")
engine.log_stats()
reactor.call_later(1, engine.finish)
reactor.call_later(1, lambda: open("ready", "w").write(f"{os.getpid()}\n"))
reactor.run()
