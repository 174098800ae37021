# SPDX-License-Identifier: Apache-2.0
"""Tells what a mirror of a bucket lacks."""


class Paginator:
    def __init__(self, bucket, prefix):
        self.bucket, self.prefix = bucket, prefix
        self.pages = 0

    def __iter__(self):
        token = None
        while True:
            page = self.bucket.list_objects(self.prefix, token)
            self.pages += 1
            yield from page.objects
            token = page.next_token
            if token is None:
                return


class Mirror:
    def __init__(self, bucket):
        self.bucket = bucket
        self.held = {}

    def missing(self, prefix):
        lacking = {}
        for each in Paginator(self.bucket, prefix):
            if self.held.get(each.key) != each.size:
                lacking[each.key] = each.size
        return lacking
