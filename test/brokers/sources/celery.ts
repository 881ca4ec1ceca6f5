import { carryByManagementApi } from '../support/carry-by-management-api.ts';
import { testQueueSource } from '../support/queue-loop.ts';
import { startPython } from '../support/start-python.ts';
import { type RabbitMq, startRabbitMq } from '../support/start-rabbitmq.ts';

let rabbit: RabbitMq | undefined;

testQueueSource('Celery: a rejected task', {
  name: 'celery',
  needs: ['debian', 'python'],
  start: async ({ capture, replayPort }) => {
    rabbit = await startRabbitMq();
    return startPython(
      ['-m', 'celery', '--app', 'failing_tasks', 'worker', '--pool', 'solo', '--hostname', 'worker@suite'],
      {
        BROKER: `amqp://127.0.0.1:${rabbit.port}`,
        CAPTURE: capture,
        REPLAY_PORT: `${replayPort}`,
      },
    );
  },
  carry: async (capture) => {
    if (rabbit) await carryByManagementApi(rabbit, { queue: 'celery-dead', capture, count: 1 });
  },
  paths: { 'shop.charge': 'charge' },
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
  ],
  readMessage: ({ payload, properties }) => [
    payload,
    (properties as { headers: { task: string; id: string } }).headers.id,
  ],
});
