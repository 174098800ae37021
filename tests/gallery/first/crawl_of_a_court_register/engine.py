# SPDX-License-Identifier: Apache-2.0
from defer import Deferred


class Slot:
    def __init__(self):
        self.inprogress = set()
        self.closing = None

    def close(self):
        self.closing = Deferred()
        self.maybe_fire_closing()
        return self.closing

    def remove(self, request):
        self.inprogress.discard(request)
        self.maybe_fire_closing()

    def maybe_fire_closing(self):
        if self.closing and not self.closing.called and not self.inprogress:
            self.closing.fire("finished")


class Engine:
    def __init__(self, reactor, download, middlewares):
        self.reactor = reactor
        self.download = download
        self.middlewares = middlewares
        self.slot = Slot()
        self.pages = []

    def crawl(self, request):
        self.slot.inprogress.add(request)
        answer = Deferred()
        self.reactor.call_later(0.01, self.fetch, request, answer)
        for middleware in self.middlewares:
            answer.add_both(lambda result, m=middleware: m.process(request, result))
        answer.add_both(self.pages.append)
        answer.add_both(lambda _: self.slot.remove(request))

    def fetch(self, request, answer):
        answer.fire(self.download(request))

    def finish(self):
        self.slot.close().add_both(lambda why: self.reactor.stop())

    def log_stats(self):
        print(len(self.pages), "pages,", len(self.slot.inprogress), "in progress", flush=True)
        self.reactor.call_later(1.5, self.log_stats)
