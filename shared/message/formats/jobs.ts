import type { FormatRecord } from './format.ts';

/** camelCase; snake_case; before version 10 of pg-boss in lower case. */
function spell(name: string, as = ''): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [name, snake, name.toLowerCase()].map((each) => each + as).join(' | ');
}

/** A job in each notation of its columns. */
const pgBoss: FormatRecord = {
  name: 'pg-boss',
  source: 'https://github.com/timgit/pg-boss/blob/master/docs/api/jobs.md',
  when: {
    ...{ id: 'text', name: 'text', data: 'there', output: 'object', state: /^(?!completed$)/ },
    ...{ [spell('retryCount')]: 'count', [spell('retryLimit')]: 'count' },
  },
  body: 'data as json',
  error: ['output/name', 'output/message | output/value', 'output/stack'],
  identity: [`${spell('sourceName')} | name`, `${spell('sourceId')} | id`],
  failure: spell('completedOn'),
  id: `${spell('sourceId')} | id`,
  type: `${spell('sourceName')} | name`,
  topic: `${spell('sourceName')} | name`,
  attempts: `${spell('sourceRetryCount', ' as next')} | ${spell('retryCount', ' as next')}`,
  time: `${spell('sourceCreatedOn')} | ${spell('createdOn')}`,
};

/** What job queues print about a failed message, in order of precedence. */
export const jobFormats: readonly FormatRecord[] = [
  {
    name: 'sidekiq',
    source: 'https://github.com/sidekiq/sidekiq/blob/main/lib/sidekiq/job_retry.rb',
    when: { jid: 'text', class: 'text', args: 'list', error_class: 'text' },
    drops: [
      ...['error_class', 'error_message', 'error_backtrace', 'retry_count'],
      ...['failed_at', 'retried_at', 'enqueued_at', 'discarded_at'],
    ],
    error: ['error_class', 'error_message', 'error_backtrace as backtrace'],
    failure: 'retried_at | failed_at',
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
    body: 'data as json',
    error: [null, 'failedReason', 'stacktrace/-1'],
    // Each queue may count its ids: the time tells jobs with equal ids apart.
    identity: ['queueQualifiedName', 'id', 'timestamp'],
    failure: 'finishedOn | processedOn',
    id: 'id',
    type: 'name',
    topic: 'queueQualifiedName',
    attempts: 'attemptsMade',
    time: 'timestamp as millis',
    seen: 'recorded from BullMQ 6.7.0',
  },
  {
    name: 'celery-result',
    kind: 'celery',
    source: 'https://docs.celeryq.dev/en/stable/userguide/configuration.html#result-extended',
    when: {
      ...{ task_id: 'text', status: /^(FAILURE|RETRY)$/ },
      ...{ 'result/exc_type': /^[A-Za-z_]/, traceback: 'there' },
    },
    drops: ['status', 'result', 'traceback', 'children', 'date_done', 'worker', 'retries'],
    error: [['result/exc_module', 'result/exc_type'], 'result/exc_message as texts', 'traceback'],
    failure: 'date_done',
    id: 'task_id',
    type: 'name',
    topic: 'queue',
    attempts: 'retries as next',
    seen: 'recorded from Celery 5.7.0',
    note: 'The type with `result_extended`.',
  },
  {
    name: 'river',
    source: 'https://github.com/riverqueue/river/blob/master/rivertype/river_type.go',
    when: {
      ...{ id: 'text', kind: 'text', queue: 'text', created_at: 'date', args: 'there' },
      ...{ max_attempts: 'count', 'errors/-1/error': 'text', 'errors/-1/attempt': 'count' },
      state: /^(?!completed$)/,
    },
    body: 'args as text',
    error: [null, 'errors/-1/error', 'errors/-1/trace'],
    identity: ['queue', 'id', 'created_at as iso'],
    failure: 'errors/-1/at',
    id: 'id',
    type: 'kind',
    topic: 'queue',
    attempts: 'attempt',
    time: 'created_at',
  },
  {
    name: 'oban',
    source: 'https://github.com/oban-bg/oban/blob/main/lib/oban/job.ex',
    when: {
      ...{ id: 'text', worker: 'text', queue: 'text', args: 'object', inserted_at: 'date' },
      ...{ 'errors/-1/error': 'text', 'errors/-1/attempt': 'count', state: /^(?!completed$)/ },
    },
    body: 'args as json',
    error: [null, 'errors/-1/error as before:\n', 'errors/-1/error'],
    identity: ['queue', 'id', 'inserted_at as iso'],
    failure: 'errors/-1/at',
    id: 'id',
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
    body: 'payload as text',
    error: [null, 'exception as before:\n', 'exception'],
    failure: 'failed_at',
    id: 'uuid',
    topic: 'queue',
    note: 'A row of `failed_jobs`.',
  },
  {
    // Its copy in a dead-letter queue, which has an id of its own.
    ...pgBoss,
    when: { ...pgBoss.when, [spell('sourceId')]: 'text' },
    failure: `${spell('completedOn')} | id`,
  },
  pgBoss,
  {
    name: 'nats-advisory',
    kind: 'nats',
    source: 'https://github.com/nats-io/jsm.go/tree/main/schema_source/jetstream/advisory/v1',
    when: {
      type: /^io\.nats\.jetstream\.advisory\.v1\.(max_deliver|terminated)$/,
      ...{ stream: 'text', consumer: 'text', stream_seq: /^\d{1,18}$/ },
    },
    drops: ['type', 'id', 'timestamp', 'deliveries', 'reason', 'consumer_seq'],
    reason: 'reason | type as after:.',
    identity: ['domain', 'stream', 'stream_seq'],
    failure: 'id',
    topicType: 'stream',
    topic: 'stream',
    offset: 'stream_seq',
    consumer: 'consumer',
    attempts: 'deliveries',
    note: 'The message is the position: it is still in its stream.',
  },
];
