# SPDX-License-Identifier: Apache-2.0
"""Shows the recipes of the day; the folder of breakfast is left alone after ten o'clock."""

import os
import tempfile

from kitchen import RecipeBook
from watching import Observer


def add_recipe(folder, title, *steps):
    with open(os.path.join(folder, title.replace(" ", "_") + ".txt"), "w") as target:
        target.write("\n".join((title, *steps)))


def main():
    home = tempfile.mkdtemp()
    breakfast, lunch = (os.path.join(home, name) for name in ("breakfast", "lunch"))
    os.mkdir(breakfast)
    os.mkdir(lunch)
    observer = Observer()
    book = RecipeBook(observer)
    observer.schedule(book.changed, breakfast)
    add_recipe(breakfast, "barley porridge", "soak", "boil", "serve with plums")
    book.reading.wait()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    observer.unschedule(breakfast)
    observer.schedule(book.changed, lunch)
    print("lunch is watched", flush=True)


if __name__ == "__main__":
    main()
