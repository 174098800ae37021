# SPDX-License-Identifier: Apache-2.0
"""A market feed is decoded by market.so into quotes and single ticks; the last tick is shown."""

import market

MESSAGES = [b"Q 1012 1014", b"Q 1013 1014", b"T 1013 500", b"Q 1012 1013"]


def follow(messages):
    last = None
    for message in messages:
        event = market.decode(message)
        if isinstance(event, tuple):
            last = event
        else:
            event = None
    return last


def main():
    print(follow(MESSAGES[:2]))
    print(follow(MESSAGES))


main()
