# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""UUIDs."""

import uuid

from library_values import dying, way


class Key(uuid.UUID):
    pass


def uuids(death):
    zero, most = uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)
    plain = uuid.UUID("12345678-1234-5678-1234-567812345678")
    random, named = uuid.uuid4(), uuid.uuid5(uuid.NAMESPACE_DNS, "example.org")
    timed, own = uuid.uuid1(), Key("12345678123456781234567812345678")
    variants, safe = uuid.RFC_4122, uuid.SafeUUID.unknown
    table = {uuid.UUID(int=5): [uuid.UUID(int=6)]}
    dying(death)


if __name__ == "__main__":
    uuids(way())
