# SPDX-License-Identifier: Apache-2.0
"""A land registry checks the deeds that notaries send against its grammar, and seals them."""

import hashlib

from lxml import etree

PARSER = etree.XMLParser(huge_tree=True, resolve_entities=False)
GRAMMAR = """\
<grammar xmlns="http://relaxng.org/ns/structure/1.0">
  <start><element name="deed"><ref name="parcels"/></element></start>
  <define name="parcels">
    <zeroOrMore>
      <element name="parcel"><ref name="parcels"/></element>
    </zeroOrMore>
  </define>
</grammar>
"""


class Registry:
    def __init__(self):
        self.grammar = etree.RelaxNG(etree.fromstring(GRAMMAR))
        self.seals = {}

    def seal(self, number, text):
        deed = etree.fromstring(text, PARSER)
        self.grammar.assertValid(deed)
        self.seals[number] = hashlib.sha256(text.encode()).hexdigest()


def deeds():
    """Yield deeds as the notaries write them: a parcel lies in the one it was divided from."""
    for number, divisions in enumerate((1, 30, 150_000)):
        yield number, f"<deed>{'<parcel>' * divisions}{'</parcel>' * divisions}</deed>"


def main():
    registry = Registry()
    for number, text in deeds():
        registry.seal(number, text)
        print(number, registry.seals[number][:12])


if __name__ == "__main__":
    main()
