"""A library for the blind embosses its newsletter: text is broken into pages and sent to the embosser."""

import textwrap

import embosser

NEWS = """
The reading room opens at nine. New books on tape are kept beside the door.
On Tuesday the choir rehearses in the small hall, and visitors are welcome to listen.
The lift is being repaired; please ring the bell and somebody will come down to you.
"""


class Document:
    def __init__(self, title):
        self.title = title
        self.pages = []
        self.dots = 0

    def page(self):
        if not self.pages:
            self.pages.append(embosser.Page())
        return self.pages[-1]

    def line(self, text):
        try:
            self.page().write(text)
        except ValueError:
            self.dots += self.pages[-1].close()
            self.pages.append(embosser.Page())
            self.page().write(text)

    def paragraphs(self, text):
        for paragraph in text.strip().splitlines():
            for line in textwrap.wrap(paragraph, 31):
                self.line(line)
            self.line("")

    def finish(self):
        if self.pages:
            self.dots += self.pages[-1].close()
        print(f"{self.title}: {len(self.pages)} pages, {self.dots} dots", flush=True)


def proof(text):
    """A first page that is thrown away: nobody closes it."""
    page = embosser.Page()
    for line in textwrap.wrap(text, 31)[:5]:
        page.write(line)


def newsletter(number):
    document = Document(f"newsletter {number}")
    for _ in range(1 + number):
        document.paragraphs(NEWS)
    document.finish()


def main():
    proof(NEWS)
    for number in range(1, 4):
        newsletter(number)


main()
