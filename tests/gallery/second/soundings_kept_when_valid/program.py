# SPDX-License-Identifier: Apache-2.0
"""Echo sounder: the driver asks a reader for each sounding and gives the list of the depths."""

import sounder

ECHOES = [12.5, 12.7, None, 13.1, 12.9, None, 14.2, 14.0]


def read_echo(number):
    return ECHOES[number]


def deepest(depths):
    return max(depths)


def survey():
    depths = sounder.collect(len(ECHOES), read_echo)
    print("soundings:", len(depths), flush=True)
    return deepest(depths)


print(survey())
