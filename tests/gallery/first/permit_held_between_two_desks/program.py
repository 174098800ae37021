# SPDX-License-Identifier: Apache-2.0
"""A building permit goes from desk to desk."""

import enum
import os


class State(enum.Enum):
    FILED = "filed"
    CHECKED = "checked"
    RETURNED = "returned"
    GRANTED = "granted"


NEXT = {
    State.FILED: State.CHECKED,
    State.CHECKED: State.RETURNED,
    State.RETURNED: State.CHECKED,
}


def pass_on(state):
    while state is not State.GRANTED:
        state = NEXT[state]
    return state


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tell()
    print(pass_on(State.FILED).value)


main()
