# SPDX-License-Identifier: Apache-2.0
"""Requests are counted natively; the rest is reported by atexit() of C, when Python is gone."""

import metrics


def send(value):
    print("requests:", value)


def handle(request):
    metrics.count()
    return request * 2


def serve(requests):
    metrics.start(send)
    return [handle(request) for request in range(requests)]


print(len(serve(2500)))
