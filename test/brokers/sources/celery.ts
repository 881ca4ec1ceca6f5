import { carryByManagementApi } from '../support/carry-by-management-api.ts';
import { testQueueSource } from '../support/queue-loop.ts';
import { startPython } from '../support/start-python.ts';
import { type RabbitMq, startRabbitMq } from '../support/start-rabbitmq.ts';
import { startRedis } from '../support/start-redis.ts';

let rabbit: RabbitMq | undefined;

testQueueSource('Celery: a rejected task, and the result of a failed one', {
  name: 'celery',
  needs: ['debian', 'python'],
  start: async ({ capture, replayPort }) => {
    rabbit = await startRabbitMq();
    return startPython(
      ['-m', 'celery', '--app', 'failing_tasks', 'worker', '--pool', 'solo', '--hostname', 'worker@suite'],
      {
        BROKER: `amqp://127.0.0.1:${rabbit.port}`,
        BACKEND: `redis://127.0.0.1:${await startRedis()}/0`,
        CAPTURE: capture,
        REPLAY_PORT: `${replayPort}`,
      },
    );
  },
  // The application posts the result of the other task.
  carry: async (capture) => {
    if (rabbit) await carryByManagementApi(rabbit, { queue: 'celery-dead', capture, count: 1 });
  },
  paths: { 'shop.charge': 'charge', 'shop.ship': 'ship' },
  rows: [
    {
      eventKey: 'celery:charge-1',
      type: 'shop.charge',
      id: 'charge-1',
      kind: 'celery',
      topic: null,
      queue: 'celery-jobs',
      key: null,
      reason: 'rejected',
      class: null,
      hasStack: false,
      attempts: 3,
      contentType: 'application/json',
      body: '[["A-1001"], {"amount": 1.5}, {"callbacks": null, "errbacks": null, "chain": null, "chord": null}]',
      headers: {
        argsrepr: "('A-1001',)",
        id: 'charge-1',
        ignore_result: 'false',
        kwargsrepr: "{'amount': 1.5}",
        lang: 'py',
        origin: 'ORIGIN',
        parent_id: 'charge-1',
        replaced_task_nesting: '0',
        retries: '2',
        root_id: 'charge-1',
        stamps: '{}',
        task: 'shop.charge',
        timelimit: '["undefined","undefined"]',
      },
    },
    {
      eventKey: 'celery:ship-1',
      type: 'shop.ship',
      id: 'ship-1',
      kind: 'celery',
      topic: 'celery-jobs',
      queue: null,
      key: null,
      reason: 'ValueError: no such customer: größer – 注文',
      class: 'ValueError',
      hasStack: true,
      attempts: 1,
      contentType: 'application/json',
      body: String.raw`{"name":"shop.ship","args":["gr\u00f6\u00dfer \u2013 \u6ce8\u6587"],"kwargs":{},"queue":"celery-jobs","task_id":"ship-1"}`,
      headers: {},
    },
  ],
  readMessage: ({ payload, properties, name, args, kwargs, task_id }) => ({
    dead: payload && [payload, (properties as { headers: { task: string; id: string } }).headers.id],
    result: name && { name, args, kwargs, task_id },
  }),
});
