"""A Celery task that fails: the broker dead-letters it."""

import json
import os

from celery import Celery
from celery.exceptions import Reject
from celery.signals import worker_ready
from kombu import Exchange, Queue
from replay_endpoint import serve_replays

app = Celery("shop", broker=os.environ["BROKER"])
app.conf.update(
    task_acks_late=True,
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


def put_back(path, headers, body):
    message = json.loads(body)
    own = {"dlo-event-id": headers["dlo-event-id"]}
    app.send_task(headers["task"], message[0], message[1], task_id=headers["id"], headers=own)


@worker_ready.connect
def start(**_):
    with app.connection_for_write() as connection:
        Queue("celery-dead", Exchange("celery-dlx", type="fanout"), channel=connection).declare()
    serve_replays(put_back)
    charge.apply_async(["A-1001"], {"amount": 1.5}, task_id="charge-1")
