"""Celery tasks that fail: the broker dead-letters one, and the result of the other one is posted to capture."""

import json
import os
import urllib.request

from celery import Celery
from celery.exceptions import Reject
from celery.signals import task_failure, worker_ready
from kombu import Exchange, Queue
from replay_endpoint import serve_replays

app = Celery("shop", broker=os.environ["BROKER"], backend=os.environ["BACKEND"])
app.conf.update(
    task_acks_late=True,
    result_extended=True,
    broker_connection_retry_on_startup=True,
    task_default_queue="celery-jobs",
    task_queues=[
        Queue("celery-jobs", Exchange("celery-jobs"), "celery-jobs", queue_arguments={"x-dead-letter-exchange": "celery-dlx"})
    ],
)


@app.task(bind=True, name="shop.charge", max_retries=2)
def charge(self, order, amount=0):
    try:
        raise ConnectionError("payments answered 503: größer")
    except ConnectionError as error:
        if self.request.retries == 2:
            raise Reject(error, requeue=False)
        raise self.retry(exc=error, countdown=0)


@app.task(name="shop.ship")
def ship(order):
    raise ValueError(f"no such customer: {order}")


@task_failure.connect
def capture_result(task_id, exception, **_):
    """Posts the result as the backend has it. The broker has the task that was rejected."""
    if isinstance(exception, Reject):
        return
    result = app.backend.client.get(app.backend.get_key_for_task(task_id))
    urllib.request.urlopen(os.environ["CAPTURE"], result).read()


def put_back(path, headers, body):
    """A dead letter has its task in headers, a result in its body."""
    message = json.loads(body)
    own = {"dlo-event-id": headers["dlo-event-id"]}
    if path == "charge":
        app.send_task(headers["task"], message[0], message[1], task_id=headers["id"], headers=own)
    else:
        app.send_task(message["name"], message["args"], message["kwargs"], task_id=message["task_id"], headers=own)


@worker_ready.connect
def start(**_):
    with app.connection_for_write() as connection:
        Queue("celery-dead", Exchange("celery-dlx", type="fanout"), channel=connection).declare()
    serve_replays(put_back)
    charge.apply_async(["A-1001"], {"amount": 1.5}, task_id="charge-1")
    ship.apply_async(["größer – 注文"], task_id="ship-1")
