# SPDX-License-Identifier: Apache-2.0
"""A name that is too long for its field lies over the function pointer behind it."""

import channels

NAMES = ["pressure", "flow", "temperature of the boiler room", "level"]


def publish_all(opened):
    for number in opened:
        channels.publish(number)


def main():
    publish_all([channels.open_channel(name) for name in NAMES])


main()
