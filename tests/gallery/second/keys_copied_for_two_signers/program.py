# SPDX-License-Identifier: Apache-2.0
import copy
from dataclasses import dataclass, field

from signing import SigningKey


@dataclass
class Signer:
    name: str
    key: SigningKey
    signed: list = field(default_factory=list)

    def sign(self, document):
        self.signed.append(self.key.sign(document))
        return self.signed[-1]

    def deputy(self, name):
        return Signer(name, copy.copy(self.key))


def sign_all(documents):
    notary = Signer("notary", SigningKey(b"seal of the notary"))
    clerk = notary.deputy("clerk")
    return [
        (clerk if number % 3 else notary).sign(document)
        for number, document in enumerate(documents)
    ]


if __name__ == "__main__":
    print(len(sign_all([b"deed %d" % number for number in range(20)])))
