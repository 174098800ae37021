# SPDX-License-Identifier: Apache-2.0
"""A morning at the counter of a bakery."""

import os
import time

from counter import Counter
from people import Baker, Clerk, Van


def main():
    counter = Counter(places=4)
    crew = [Clerk(counter), Van(counter, 1)]
    for person in crew:
        person.start()
        time.sleep(0.3)
    baker = Baker(counter, 1)
    baker.start()
    baker.join()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    van = crew[1]
    van.join()
    print("the van leaves with", van.loaded)


if __name__ == "__main__":
    main()
