"""The courier's job: books the van, then takes the pallets from the stock."""

import sys

from lockfile import locked


def main():
    with locked("courier"):
        print("van booked", flush=True)
        sys.stdin.readline()
        with locked("warehouse"):
            print("pallets taken", flush=True)


if __name__ == "__main__":
    main()
