# SPDX-License-Identifier: Apache-2.0
"""Packs the correspondence of a trading house, a volume for each year."""

from archive import Volume, letters

YEARS = {1871: 20 << 10, 1872: 30 << 10, 1873: 6 << 20}


def main():
    for year, size in YEARS.items():
        volume = Volume(year)
        volume.add(letters(year, size))
        sealed = volume.seal(patience=1.0)
        print(year, "sealed with", sealed, "bundles", flush=True)


if __name__ == "__main__":
    main()
