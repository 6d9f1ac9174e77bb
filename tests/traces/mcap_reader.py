"""An MCAP file as its own library reads it."""

import json

from mcap.reader import make_reader


def read(path):
    """Messages by topic, schemas by topic, and metadata of an MCAP file."""
    with path.open("rb") as stream:
        reader = make_reader(stream)
        messages, schemas, times = {}, {}, []
        for schema, channel, message in reader.iter_messages():
            assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
            messages.setdefault(channel.topic, []).append((message.log_time, json.loads(message.data)))
            schemas[channel.topic] = json.loads(schema.data)
            times.append(message.log_time)
        assert times == sorted(times)
        return messages, schemas, {record.name: record.metadata for record in reader.iter_metadata()}
