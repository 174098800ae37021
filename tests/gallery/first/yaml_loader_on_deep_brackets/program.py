# SPDX-License-Identifier: Apache-2.0
"""An API takes settings in YAML and reads them with PyYAML's C loader. Somebody sends forty
thousand opening brackets: the loader composes them by native recursion."""

import yaml


class Settings:
    def __init__(self, values):
        self.values = values


def load(text):
    return yaml.load(text, Loader=yaml.CSafeLoader)


def settings_from_request(body):
    return Settings(load(body.decode()))


def handle(requests):
    for body in requests:
        print(settings_from_request(body).values)


def main():
    handle([b"theme: dark\nsize: 12\n", b"tags: " + b"[" * 40_000 + b"]" * 40_000])


main()
