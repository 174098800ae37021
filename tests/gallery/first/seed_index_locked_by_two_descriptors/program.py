# SPDX-License-Identifier: Apache-2.0
"""A seed bank's package tool installs accessions; its index file is guarded by flock."""

import argparse
import hashlib
import os
import pathlib
import sys

import index

STORE = pathlib.Path("store")


def accession(name):
    text = f"accession {name}\n" * 30
    return text.encode(), hashlib.sha256(text.encode()).hexdigest()


def fetch(name):
    """Return the path of the accession's file, downloaded unless it is there."""
    content, digest = accession(name)
    target = STORE / f"{digest[:12]}.seed"
    if not target.exists():
        part = target.with_suffix(".part")
        part.write_bytes(content)
        os.replace(part, target)
    return target


def install(name, parents):
    """Install an accession and, before it, those it was bred from."""
    with index.locked(STORE) as entries:
        if name in entries:
            return entries[name]
        for parent in parents.get(name, ()):
            if parent not in entries:
                print(f"{name} was bred from {parent}", flush=True)
                if parents.get(parent):
                    install(parent, parents)
                else:
                    entries[parent] = str(fetch(parent))
        entries[name] = str(fetch(name))
        return entries[name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=["Emmer", "Kent Wonder"])
    options = parser.parse_args()
    STORE.mkdir(exist_ok=True)
    parents = {
        "Kent Wonder": ["Kent Early", "Fill Basket"],
        "Kent Early": ["Field Pea"],
        "Emmer": ["Wild Emmer"],
    }
    print("installing", options.names, file=sys.stderr)
    for name in options.names:
        if name == "Kent Wonder":
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
        print("installed", name, install(name, parents), flush=True)


if __name__ == "__main__":
    main()
