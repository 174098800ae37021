# SPDX-License-Identifier: Apache-2.0
"""The editor of mind maps keeps a copy of the map for undo."""

import copy
import xml.etree.ElementTree as ET


class MindMap:
    def __init__(self, title):
        self.root = ET.Element("node", text=title)
        self.last = self.root
        self.undo = []

    def add_below(self, text):
        node = ET.Element("node")
        node.set("text", text)
        self.last.append(node)
        self.last = node

    def checkpoint(self):
        self.undo.append(copy.deepcopy(self.root))


def import_thread_of_mails(mind_map, answers):
    for number in range(answers):
        mind_map.add_below(f"Re: {number}")


mind_map = MindMap("holidays")
import_thread_of_mails(mind_map, 50)
mind_map.checkpoint()
import_thread_of_mails(mind_map, 250_000)
mind_map.checkpoint()
print(len(mind_map.undo))
