"""A correspondent, who sends a story over a line of its own and keeps a transcript."""

import socket


class Correspondent:
    def __init__(self, name, address):
        self.name = name
        self.line = socket.create_connection(address)
        self.wire = self.line.makefile("w", encoding="utf-8")
        self.words = 0

    def dictate(self, text):
        self.words += len(text.split())
        self.wire.write(text + "\n")

    def file_story(self, headline, paragraphs):
        self.dictate(headline)
        for paragraph in paragraphs:
            self.dictate(paragraph)
        self.wire.flush()

    def hang_up(self):
        """The line is closed; the words are counted later."""
        self.line.close()
