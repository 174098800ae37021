# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below frames whose source is in many places: files of odd encodings, changed and removed
files, linecache, strings of exec(), cached bytecode with times and with hashes.

Every piece is a module with a `step(follow)`, which calls the next; the last one dies. Each says
what should be found of it.
"""

import importlib
import importlib.util
import linecache
import os
import py_compile
import sys
import zipfile

import deathbed

PLAIN = """def step(follow):
    value = 'MARKER'
    return follow(value, len(value)) or value
"""
TABS = "def step(follow):\n\tif follow:\n\t\tother = 'MARKER'\t; return [other, follow(other)]\n"
WIDE = """def step(follow):
    名前 = '日本語 MARKER e\u0301'
    return [名前, '日本', follow(名前), 'é']
"""
MANY_LINES = """def step(follow):
    first = 'MARKER'
    return dict(
        one=first,
        two=follow(
            first,
            2,
        ),
    )
"""
FORM_FEED = """import os
\x0c
def step(follow):
    text = 'MARKER \x0b'
    return follow(text, os.name)
"""
LATIN = """# -*- coding: latin-1 -*-
def step(follow):
    größe = 'MARKER é'
    return ('ü', follow(größe))
"""
CP1252 = """#!/usr/bin/python
# vim: set fileencoding=cp1252 :
def step(follow):
    price = '€ MARKER'
    return ('€', follow(price))
"""

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "places")


def put(name, text, encoding="utf-8"):
    """Write a module; return its path."""
    path = os.path.join(folder, name + ".py")
    with open(path, "wb") as handle:
        handle.write(text.encode(encoding))
    return path


def load(name):
    """Import a module of the folder."""
    importlib.invalidate_caches()
    return importlib.import_module(name).step


def without_pyc(name, text, encoding="utf-8"):
    sys.dont_write_bytecode = True
    put(name, text, encoding)
    step = load(name)
    sys.dont_write_bytecode = False
    return step


def with_pyc(name, text, encoding="utf-8"):
    put(name, text, encoding)
    return load(name)


def by_hash(name, text):
    path = put(name, text)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    py_compile.compile(path, doraise=True, invalidation_mode=mode)
    return load(name)


def changed(name, text, new, pyc=True):
    step = with_pyc(name, text) if pyc else without_pyc(name, text)
    put(name, new)
    return step


def removed(name, text, cached):
    step = without_pyc(name, text)
    path = os.path.join(folder, name + ".py")
    if cached:
        linecache.getlines(path)
    os.remove(path)
    return step


def executed(name, text, keep):
    space = {}
    exec(compile(text, name, "exec"), space)
    step = space["step"]
    if not keep:
        return step

    def call(follow, kept=text):
        return step(follow)

    return call


def archived(name, text):
    """Import a module out of a zip archive, as zipapps and eggs are."""
    archive = os.path.join(folder, name + ".pyz")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as handle:
        handle.writestr("inside/" + name + ".py", text)
    sys.path.insert(0, os.path.join(archive, "inside"))
    return load(name)


# name -> (function, what should be found: trust, the text, and a word of where)
def pieces():
    yield "plain", without_pyc("plain", PLAIN), ("fits", PLAIN, "file")
    yield "timed", with_pyc("timed", PLAIN), ("verified", PLAIN, "file")
    yield "hashed", by_hash("hashed", PLAIN), ("verified", PLAIN, "file")
    yield "tabs", with_pyc("tabs", TABS), ("verified", TABS, "file")
    yield "wide", with_pyc("wide", WIDE), ("verified", WIDE, "file")
    yield "many_lines", without_pyc("many_lines", MANY_LINES), ("fits", MANY_LINES, "file")
    yield "feeds", with_pyc("feeds", FORM_FEED), ("verified", FORM_FEED, "file")
    yield "bom", with_pyc("bom", WIDE, "utf-8-sig"), ("verified", WIDE, "file")
    yield "latin", with_pyc("latin", LATIN, "latin-1"), ("verified", LATIN, "file")
    yield "cp1252", without_pyc("cp1252", CP1252, "cp1252"), ("fits", CP1252, "file")
    yield "returns", with_pyc("returns", PLAIN.replace("\n", "\r\n")), ("verified", PLAIN, "file")
    shifted = "# a new line\n\n" + PLAIN
    yield "shifted", changed("shifted", PLAIN, shifted), (None, None, None)
    yield "shifted_bare", changed("shifted_bare", PLAIN, shifted, False), (None, None, None)
    edited = PLAIN.replace("value", "other")
    yield "edited", changed("edited", PLAIN, edited, False), (None, None, None)
    grown = PLAIN + "\n\ndef added():\n    pass\n"
    yield "grown", changed("grown", PLAIN, grown), ("fits", grown, "file")
    yield "removed", removed("removed", PLAIN, False), (None, None, None)
    yield "cached", removed("cached", WIDE, True), ("fits", WIDE, "linecache")
    yield "kept", executed("<made up>", MANY_LINES, True), ("fits", MANY_LINES, "variable kept")
    yield "zipped", archived("zipped", MANY_LINES), ("fits", MANY_LINES, "zipped.pyz")
    yield "lost", executed("<lost>", "\n" * 7 + PLAIN, False), (None, None, None)


def positions(frame):
    """Return [file, line, end line, column, end column] of a frame and its callers."""
    found = []
    while frame is not None:
        code = frame.f_code
        where = [frame.f_lineno, None, None, None]
        if hasattr(code, "co_positions"):
            where = list(code.co_positions())[frame.f_lasti // 2]
        found.append([code.co_filename, code.co_name, *where])
        frame = frame.f_back
    return found


def follow(steps, way, told):
    """Call the first of the steps, which calls the rest."""
    if not steps:
        facts = {"positions": positions(sys._getframe()), "pieces": told}
        deathbed.die(way, facts=facts)
    return steps[0](lambda *ignored: follow(steps[1:], way, told))


def main():
    os.makedirs(folder, exist_ok=True)
    sys.path.insert(0, folder)
    way = deathbed.prepare("raise")
    found = list(pieces())
    told = {}
    steps = []
    for name, step, expected in found:
        code = getattr(step, "__closure__", None)
        inner = step if code is None else code[0].cell_contents
        told[name] = [inner.__code__.co_filename, inner.__code__.co_firstlineno, *expected]
        steps.append(step)
    del found, step, expected, inner, code
    for name in [name for name in globals() if name.isupper()]:
        del globals()[name]  # texts that are left would be found, and rightly so
    follow(steps, way, told)


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    main()
