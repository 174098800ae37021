# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pydantic"]}
"""Models and secrets of pydantic."""

import datetime
import typing

import pydantic
from library_values import dying, way


class Address(pydantic.BaseModel):
    city: str
    zip: typing.Optional[int] = None


class User(pydantic.BaseModel):
    name: str
    born: datetime.date = datetime.date(2000, 1, 1)
    where: typing.List[Address] = []
    code: pydantic.SecretStr = pydantic.SecretStr("hunter2")


def models(death):
    address = Address(city="Oslo")
    user = User(name="x", where=[Address(city="Rome", zip=5)])
    hidden, hidden_bytes = pydantic.SecretStr("hunter2"), pydantic.SecretBytes(b"hunter2")
    no_secret = pydantic.SecretStr("")
    table = {"a": Address(city="a")}
    dying(death)


if __name__ == "__main__":
    models(way())
