# SPDX-License-Identifier: Apache-2.0
"""A sorting hall reads parcels lazily; when a belt stands still, the operator switches its feed
to the spare belt without losing what was built downstream.
"""

import itertools

MAIN_BELT = ["P%04d" % number for number in range(40)]
SPARE_BELT = range(9000, 9040)


def labels(parcels):
    return (str(parcel).rjust(6, "0") for parcel in parcels)


def by_tens(feed):
    while True:
        group = list(itertools.islice(feed, 10))
        if not group:
            return
        yield group


def switch(feed, parcels):
    feed.gi_frame.f_locals[".0"] = parcels


def sort_all(stopped):
    done = 0
    for name, parcels in (("north", MAIN_BELT), ("south", MAIN_BELT[::2])):
        feed = labels(parcels)
        groups = by_tens(feed)
        if name in stopped:
            switch(feed, SPARE_BELT)
        for group in groups:
            print(name, group[0], "..", group[-1], flush=True)
            done += len(group)
    return done


print(sort_all(stopped={"south"}))
