# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Paths of pathlib."""

import pathlib

from library_values import dying, way


def paths(death):
    here, root, file = pathlib.Path("."), pathlib.Path("/"), pathlib.Path("/srv/app/data.txt")
    relative, joined = pathlib.Path("a/b"), pathlib.Path("/srv") / "x" / "y.py"
    dots, doubled = pathlib.Path("a/./b/../c"), pathlib.Path("//host//share/")
    pure, quoted = pathlib.PurePosixPath("/x/y"), pathlib.Path("it's")
    parent, parents = pathlib.Path("/a/b/c").parent, pathlib.Path("/a/b").parents
    suffix, empty = pathlib.Path("/a/b.txt").with_suffix(".md"), pathlib.Path()
    several = [pathlib.Path("/a", "b", "c"), pathlib.Path("x").absolute()]
    home, latin = pathlib.Path("~/x"), pathlib.Path("wörld/x")
    windows(death)


def windows(death):
    drive, share = (
        pathlib.PureWindowsPath("C:\\Users\\me"),
        pathlib.PureWindowsPath("//host/share/x"),
    )
    mixed, relative = pathlib.PureWindowsPath("a/b\\c"), pathlib.PureWindowsPath("d:x")
    joined, rooted = pathlib.PureWindowsPath("C:/") / "x.txt", pathlib.PureWindowsPath("\\x")
    table = {pathlib.PurePosixPath("a"): pathlib.Path("b")}
    dying(death)


if __name__ == "__main__":
    paths(way())
