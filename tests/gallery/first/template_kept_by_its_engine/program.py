# SPDX-License-Identifier: Apache-2.0
"""Newsletter: a template in a native engine, filled for each of the readers."""

import engine


def load_template(chapters):
    parts = [f"<h2>$title{n}</h2><p>$text{n}</p>" + " " * 900 for n in range(chapters)]
    engine.set_template("".join(parts))


def fill_for(reader):
    return reader, engine.count_places()


def main():
    load_template(800)
    print([fill_for(reader) for reader in ("ann", "bob", "eve")])


main()
