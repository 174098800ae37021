# SPDX-License-Identifier: Apache-2.0
"""Messages of a telemetry service are classes with typed fields; each gets a decoder of its own."""

import schema


class Message(metaclass=schema.MessageType):
    """Base of all messages; a subclass names its fields."""

    __fields__ = ()
    decoder = None

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.__fields__:
            cls.decoder = schema.decoder_for(cls)


class Plain(Message):
    pass


def declare(name, *fields):
    return schema.MessageType(name, (Message,), {"__fields__": fields})


def main():
    print(schema.decoder_for(Plain))
    reading = declare("Reading", "sensor", "value", "unit")
    print(reading.decoder)


main()
