"""Publishes messages to RabbitMQ that consumers reject or queues drop, and puts replayed ones back."""

import json
import os
import sys
import time

import amqp
from replay_endpoint import serve_replays

DEAD_LETTERS = {"x-dead-letter-exchange": "dlx"}
QUEUES = {
    "orders": {},
    "slow": {"x-message-ttl": 300},
    "full": {"x-max-length": 1, "x-overflow": "reject-publish-dlx"},
    "jobs": {"x-queue-type": "quorum", "x-delivery-limit": 2},
}


def connect():
    connection = amqp.Connection(f"127.0.0.1:{os.environ['AMQP_PORT']}")
    connection.connect()
    return connection


def declare(channel):
    channel.exchange_declare("dlx", "fanout", durable=True, auto_delete=False)
    channel.exchange_declare("shop", "topic", durable=True, auto_delete=False)
    channel.queue_declare("dead", durable=True, auto_delete=False)
    channel.queue_bind("dead", "dlx")
    for queue, arguments in QUEUES.items():
        channel.queue_declare(queue, durable=True, auto_delete=False, arguments={**DEAD_LETTERS, **arguments})
        channel.queue_bind(queue, "shop", f"{queue}.*")
    channel.basic_publish(amqp.Message(b"leaves no room"), "shop", "full.first")


def is_bytes(value):
    return isinstance(value, dict) and "hex" in value


def publish(channel, body, headers, routing_key, **properties):
    headers = {name: bytes.fromhex(each["hex"]) if is_bytes(each) else each for name, each in headers.items()}
    message = amqp.Message(bytes.fromhex(body), application_headers=headers, **properties)
    channel.basic_publish(message, "shop", routing_key)


def put_back(queue, headers, body):
    """The default exchange delivers to the queue that failed, and to no other one."""
    content_type = headers.pop("content-type", None)
    message = amqp.Message(body, content_type=content_type, application_headers=headers)
    with connect() as connection:
        connection.channel().basic_publish(message, "", queue)


def consume(channel):
    """Rejects all orders, and returns each job to its queue."""
    for queue, is_requeued in {"orders": False, "jobs": True}.items():
        message = channel.basic_get(queue)
        if message:
            channel.basic_reject(message.delivery_tag, requeue=is_requeued)


channel = connect().channel()
declare(channel)
for each in json.loads(sys.argv[1]):
    publish(channel, **each)
serve_replays(put_back)
while True:
    consume(channel)
    time.sleep(0.05)
