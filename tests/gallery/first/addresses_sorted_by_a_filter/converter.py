# SPDX-License-Identifier: Apache-2.0
"""A converter of alphabets that is kept running for questions that come now and then."""

import subprocess


class Converter:
    def __init__(self):
        self.process = subprocess.Popen(
            ["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            close_fds=False, bufsize=0,
        )  # fmt: skip

    def convert(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            answer += self.process.stdout.read(1)
        return answer.decode().strip().translate(str.maketrans("äöüß", "aous"))
