# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true}
"""Die with passwords, tokens and keys among the locals: under names, in URLs, in containers.

Every text that must not be shown holds "hunter2"; what may be shown holds "visible".
"""

import collections
import dataclasses
import types

import deathbed

Login = collections.namedtuple("Login", "user password")


@dataclasses.dataclass
class Settings:
    name: str
    api_key: str
    max_tokens: int = 5


class Client:
    def __init__(self):
        self.name, self.auth_token = "visible", "hunter2"

    def __repr__(self):
        return f"Client({self.name}, {self.auth_token})"


class Wrapped:
    """Its secrets lie behind a property, in a list and in a dict, under names that tell nothing."""

    kept = "hunter2"

    def __init__(self, way):
        self.way = way
        self.credentials, self.secrets = ["hunter2"], {"x": "hunter2"}

    @property
    def password(self):
        return self.kept

    def get_token(self):
        return self.kept

    def __repr__(self):
        if self.way == "property":
            return f"Wrapped({self.password!r})"
        if self.way == "method":
            return "Wrapped(%s)" % self.get_token()
        if self.way == "list":
            return f"Wrapped({self.credentials[0]})"
        return f"Wrapped({self.secrets['x']})"


class Plain:
    def __init__(self):
        self.visible, self._password, self.accessKey = "visible", b"hunter2", ["hunter2"]


class Slotted:
    __slots__ = ("secret", "shown")

    def __init__(self):
        self.shown, self.secret = "visible", "hunter2"


def names(way, password, *, apiKey, **options):
    token, DB_PASSWORD, client_secret = "hunter2", "hunter2", b"hunter2"
    credentials = {"user": "hunter2"}
    tokens = ["hunter2"]
    pin_code, max_tokens, token_count, no_password, empty_token = "visible", 4096, 7, None, ""
    keyword, tokenizer, monkey, secretary = "visible", "visible", "visible", "visible"
    passcode = 20092
    containers(way)
    return locals()


def containers(way):
    table = {"password": "hunter2", "user": "visible", b"api-key": "hunter2", 5: "visible"}
    nested = [{"headers": {"Authorization": "Bearer hunter2", "Accept": "visible"}}]
    login, settings = Login("visible", "hunter2"), Settings("visible", "hunter2")
    space = types.SimpleNamespace(secret_key="hunter2", shown="visible")
    client, plain, slotted = Client(), Plain(), Slotted()
    wrapped = [Wrapped("property"), Wrapped("method"), Wrapped("list"), Wrapped("dict")]
    ordered = collections.OrderedDict(passwd="hunter2")
    views = [{"token": "hunter2"}.items(), {"token": "hunter2"}.values()]
    texts(way)
    return locals()


def texts(way):
    url = "postgresql://visible:hunter2@host:5432/base"
    plain_url, port = "http://visible/path?x=1", "http://visible:8080/path"
    raw_url, in_list = b"redis://:hunter2@visible/0", ["amqp://u:hunter2@visible"]
    query = "https://visible/x?api_key=hunter2&y=1"
    connection, error = (
        "host=visible password=hunter2 port=5",
        ValueError("ftp://u:hunter2@visible"),
    )
    deathbed.die(way)
    return locals()


if __name__ == "__main__":
    names(deathbed.prepare("raise"), "hunter2", apiKey="hunter2", session_id="hunter2", x="visible")
