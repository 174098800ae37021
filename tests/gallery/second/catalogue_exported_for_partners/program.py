# SPDX-License-Identifier: Apache-2.0
"""Export of a catalogue: one XML document for each partner, written one after the other."""

import io
import os
import xml.etree.ElementTree as Tree


def article(number, partner):
    node = Tree.Element("article", number=str(number), partner=partner)
    Tree.SubElement(node, "name").text = f"Shelf board {number} <oak & ash>"
    Tree.SubElement(node, "price", currency="EUR").text = f"{number % 900}.{number % 100:02}"
    return node


def export(partner, count):
    catalogue = Tree.Element("catalogue", partner=partner)
    catalogue.extend(article(number, partner) for number in range(count))
    text = io.BytesIO()
    Tree.ElementTree(catalogue).write(text, encoding="utf-8", xml_declaration=True)
    return len(text.getvalue())


def main():
    sizes = {}
    for number in range(4000):
        partner = f"partner{number:04}"
        sizes[partner] = export(partner, 3000)
        if number == 1:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
    print(sum(sizes.values()))


main()
