# SPDX-License-Identifier: Apache-2.0
"""Element.remove() compares with a child's `__eq__`, which clears the element; the accelerator goes
on with the children that were freed.
"""

from xml.etree import ElementTree


class Row(ElementTree.Element):
    def __eq__(self, other):
        table.clear()
        return False

    __hash__ = None


table = ElementTree.Element("table")


def drop_row(row):
    table.remove(row)


def main():
    table.extend([Row("row", {"number": str(n)}) for n in range(6)])
    drop_row(Row("row"))
    print(ElementTree.tostring(table))


main()
