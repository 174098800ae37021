# SPDX-License-Identifier: Apache-2.0
"""The cellar as every process sees it: two proxies."""


class Cellar:
    def __init__(self, key, stock):
        self.key = key
        self.stock = stock


def take_out(cellar, wine, bottles):
    with cellar.key:
        left = cellar.stock[wine] - bottles
        if left < 0:
            raise ValueError(f"only {left + bottles} of {wine}")
        cellar.stock[wine] = left
    return left
