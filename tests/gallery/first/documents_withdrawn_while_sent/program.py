# SPDX-License-Identifier: Apache-2.0
"""Sends documents as JSON. When one turns out to be withdrawn, nothing more is to leave the house
and the outbox is emptied."""

import rapidjson


class Document:
    def __init__(self, number, withdrawn=False):
        self.number, self.withdrawn = number, withdrawn


class Outbox:
    def __init__(self, count):
        self.documents = [Document(number, number == 40) for number in range(count)]

    def plain(self, document):
        if document.withdrawn:
            self.documents.clear()
        return {"number": document.number}

    def body(self):
        return rapidjson.dumps(self.documents, default=self.plain)


print(len(Outbox(512).body()))
