# SPDX-License-Identifier: Apache-2.0
"""A print shop on twisted waits for the customer to approve a proof, whose Deferred nobody keeps."""  # noqa: E501

import os

from twisted.internet import defer, reactor


class Shop:
    def __init__(self):
        self.printed = []

    def ask_customer(self, proof):
        answer = defer.Deferred()
        if proof in self.printed:
            answer.callback("yes")
        return answer

    @defer.inlineCallbacks
    def print_job(self, proof):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        answer = yield self.ask_customer(proof)
        self.printed.append((proof, answer))
        reactor.stop()


reactor.callWhenRunning(Shop().print_job, "menu")
reactor.run()
