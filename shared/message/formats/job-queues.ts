import type { FormatRecord } from './format.ts';

/** A failed job, as its queue has it: it is the message, whole. */
export const jobQueueFormats: readonly FormatRecord[] = [
  {
    name: 'sidekiq',
    source: 'https://github.com/sidekiq/sidekiq/blob/main/lib/sidekiq/job_retry.rb',
    when: { jid: 'text', class: 'text', args: 'list', error_class: 'text' },
    error: ['error_class', 'error_message', null],
    id: 'jid',
    type: 'wrapped | class',
    topic: 'queue',
    attempts: 'retry_count as next',
    time: 'created_at as time',
    seen: 'recorded from Sidekiq 6.4.1',
  },
  {
    name: 'bullmq',
    source: 'https://github.com/taskforcesh/bullmq/blob/master/src/classes/job.ts',
    when: {
      ...{ id: 'text', name: 'text', timestamp: /^\d{1,14}$/, data: 'there', opts: 'object' },
      ...{ failedReason: 'text', attemptsMade: 'count', stacktrace: 'there', returnvalue: 'none' },
    },
    error: [null, 'failedReason', 'stacktrace/-1'],
    // Each queue may count its ids: the time tells jobs with equal ids apart.
    id: ['queueQualifiedName', 'id', 'timestamp'],
    type: 'name',
    topic: 'queueQualifiedName',
    attempts: 'attemptsMade',
    time: 'timestamp as millis',
    seen: 'recorded from BullMQ 6.7.0',
  },
  {
    name: 'oban',
    source: 'https://github.com/oban-bg/oban/blob/main/lib/oban/job.ex',
    when: {
      ...{ id: 'text', worker: 'text', queue: 'text', args: 'object', inserted_at: 'date' },
      ...{ 'errors/-1/error': 'text', 'errors/-1/attempt': 'count', state: /^(?!completed$)./ },
    },
    error: [null, 'errors/-1/error as line', 'errors/-1/error'],
    id: ['queue', 'id', 'inserted_at'],
    type: 'worker',
    topic: 'queue',
    attempts: 'attempt',
    time: 'inserted_at',
  },
  {
    name: 'laravel',
    source:
      'https://github.com/laravel/framework/blob/12.x/src/Illuminate/Queue/Failed/DatabaseUuidFailedJobProvider.php',
    when: {
      ...{ uuid: 'text', connection: 'text', queue: 'text', payload: /^\{/ },
      ...{ exception: 'text', failed_at: 'date' },
    },
    error: [null, 'exception as line', 'exception'],
    id: 'uuid',
    topic: 'queue',
    note: 'A row of `failed_jobs`.',
  },
];
