# SPDX-License-Identifier: Apache-2.0
"""Shows the tides of the next days; a native thread works out the following ones ahead."""

import tides


def table(harbour, days):
    return [(day, round(tides.height(harbour, day), 2)) for day in days]


def main():
    tides.start_ahead(harbours=4)
    for harbour in range(4):
        print("harbour", harbour, table(harbour, range(5)), flush=True)


if __name__ == "__main__":
    main()
