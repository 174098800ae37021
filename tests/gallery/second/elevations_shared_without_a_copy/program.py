# SPDX-License-Identifier: Apache-2.0
"""A height model whose elevations are shared with its readers as memoryviews, without a copy."""

import heights


class Profile:
    """The elevations along a way."""

    def __init__(self, model):
        self.model = model

    def highest(self, begin, end):
        with memoryview(self.model) as view:
            return max(view[begin:end])


def main():
    model = heights.Model(4096)
    profile = Profile(model)
    found = []
    for begin in range(0, 4096, 512):
        found.append(profile.highest(begin, begin + 512))
    sheets = [heights.Model(64) for _ in range(50)]
    names = ["sheet %d" % number for number in range(500)]
    print(found, len(sheets), len(names), profile.highest(0, 10))


main()
