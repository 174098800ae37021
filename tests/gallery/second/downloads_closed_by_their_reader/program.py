# SPDX-License-Identifier: Apache-2.0
from transfer import Transfer


class Download:
    """Takes the head of a file, not more than limit bytes."""

    def __init__(self, size, limit):
        self.limit = limit
        self.body = bytearray()
        self.transfer = Transfer(size, self.write)

    def write(self, block):
        self.body += block
        if len(self.body) >= self.limit:
            self.stop()

    def stop(self):
        del self.body[self.limit :]
        self.transfer.close()

    def run(self):
        self.transfer.perform()
        return bytes(self.body)


for size in (90, 700, 1500, 64000):
    print(size, len(Download(size, limit=2000).run()), flush=True)
