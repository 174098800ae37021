# SPDX-License-Identifier: Apache-2.0
"""List which elements the document types of suppliers allow."""

from xml.parsers import expat


class TypeReader:
    def __init__(self):
        self.elements = {}

    def element(self, name, model):
        self.elements[name] = model[0]

    def read(self, text):
        parser = expat.ParserCreate()
        parser.ElementDeclHandler = self.element
        parser.Parse(text, True)
        return self.elements


def generated_type(depth):
    """What the generator of one supplier makes of its nested packages."""
    inside = "(" * depth + "item" + ")" * depth
    return "<!DOCTYPE list [<!ELEMENT list %s>]><list/>" % inside


def main():
    sizes = {}
    for supplier, depth in (("north", 1), ("west", 12), ("east", 400000)):
        reader = TypeReader()
        sizes[supplier] = len(reader.read(generated_type(depth)))
    print(sizes)


main()
