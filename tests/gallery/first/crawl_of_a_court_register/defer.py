# SPDX-License-Identifier: Apache-2.0
class Deferred:
    def __init__(self):
        self.called = False
        self.result = None
        self.chain = []

    def add_both(self, function):
        self.chain.append(function)
        if self.called:
            self._run()
        return self

    def fire(self, result):
        self.called = True
        self.result = result
        self._run()

    def _run(self):
        while self.chain:
            function = self.chain.pop(0)
            try:
                self.result = function(self.result)
            except Exception as error:
                self.result = error
            if isinstance(self.result, Deferred):
                inner, self.result = self.result, None
                self.called = False
                inner.add_both(self.fire)
                return
