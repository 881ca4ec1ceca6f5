import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { useDatabase } from '../support/database.ts';
import { openDays } from '../support/days.ts';
import { useLogins } from '../support/logins.ts';
import { whileTransactionIsOpen } from '../support/open-transaction.ts';
import { waitUntil } from '../support/wait-until.ts';

type Failure = {
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly where?: string;
};

const secret = 'card 4711 0000 1234 5678';
const victim = {
  eventKey: 'id:victim',
  eventId: 'victim',
  body: Buffer.from(JSON.stringify({ secret })),
  consumerGroup: 'billing',
};

// As the login of the internet-facing function, or of an application, with any argument that it can think of.
describe('an argument of a function that runs as the owner', () => {
  const database = useDatabase();
  const aLogin = useLogins(() => database().url);
  let url = '';
  before(async () => {
    ({ url } = await aLogin('in role dlq_capture'));
  });
  beforeEach(() => database().sql('truncate dlq_events, dlq_captures, dlq_attempts'));

  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set statement_timeout = '5s'`);
    return client;
  };
  const read = () => database().sql(`select * from dlq_events where event_id = 'victim' order by id limit 1`);
  const facts = {
    message_key: 'id:victim', consumer: 'billing', origin: 'report', event_type: 'order.created', event_id: 'victim', body_start: 1,
    body_length: 2, payload_encoding: 'json', source_kind: 'http', error_reason: 'again',
  }; // biome-ignore format: one line each

  const texts = [
    null,
    '',
    'x',
    "'; drop table dlq_events; --",
    'infinity',
    '-1',
    'x'.repeat(100_000),
    '\\',
    '{}',
    '@',
    '#',
    '~',
  ];
  const values: Record<string, readonly unknown[]> = {
    message_key: [null, 'id:victim@billing', 'id:victim#', 'x'.repeat(10_000)], consumer: texts,
    redelivery: [...texts, `1.${'0'.repeat(32)}`, `999999999999999999.${'f'.repeat(32)}`], attempt: [-1, 2_147_483_647, 1e20, 'x'],
    delivery_id: texts, origin: [null, 'bridge', 'x'], publication: [...texts, '9@kafka:t/0/1', '999999999999999@', '@x@y'],
    failed_at: [null, 'infinity', '-infinity', '2999-01-01', '0001-01-01', 'x'], event_type: texts, event_id: texts,
    body_start: [null, 0, -1, 2_147_483_647], body_length: [null, 0, -1, 2_147_483_647],
    payload_encoding: [null, 'none', 'text', 'base64', 'x'], printed_as: [...texts, '9 ', '27 10 spaced'],
    content: [...texts, JSON.stringify({ secret: 'x' })], content_type: texts, headers: [null, [], 1, 'x', { a: {} }],
    passing: [null, 'x', [null], [['x']], [1, {}], ['tenant', 'x'.repeat(100_000)]],
    error_reason: texts, error_stacktrace: texts, error_class: texts, source_kind: texts, source_topic: texts,
    source_partition: [-1, 1e12, 'x'], source_offset: [-1, '9223372036854775807', 1e30], source_key: texts,
    source_key_bytes: texts, source_subscription: texts, consumer_group: texts, source_attempts: [-1, 1e12], trace_id: texts,
    occurred_at: ['infinity', '-infinity', 'x'], metadata: [[], 1, 'x', { decided: { priority: 1 } }], fingerprint: texts,
    error_kind: ['permanent', 'transient', 'ambiguous', 'x'], retry_after: [...texts, '1.1.1', '1e400', '99999999999999'],
    max_retries: [0, -1, 1e12], priority: [32_767, -32_768, 1e6], body: ['x'], id: [1], status: ['SUCCEEDED'],
  }; // biome-ignore format: one line each

  /** A tenth of the values in each run, or all with CAPTURE_RUNS. */
  let turn = Date.now() % 10;
  const isPicked = () => Number(process.env.CAPTURE_RUNS ?? 0) >= 1000 || turn++ % 10 === 0;
  const listArguments = (): Record<string, unknown>[] =>
    Object.entries(values)
      .flatMap(([name, list]) => list.map((value) => ({ [name]: value })))
      .filter(isPicked);

  /** An error may name what its caller said; it shows nothing of a row. */
  const checkError = (error: unknown, row: Record<string, unknown>, said: string) => {
    const { message, detail, hint, where } = error as Failure;
    const shown = [message, detail, hint, where].join('\n');
    const token = `${row.redelivery_token}`;
    assert.doesNotMatch(shown, /Failing row contains/, said);
    for (const hidden of [secret, token, token.replaceAll('-', '')])
      assert.ok(!shown.includes(hidden), `${said}: ${shown}`);
  };

  for (const content of ['without content', 'with other content', 'before the content is told'] as const) {
    it(`of dlq_capture_events changes nothing of an event of others, and no error shows it, ${content}`, async () => {
      const days = openDays(database);
      const isMute = content === 'without content';
      const origin =
        content === 'before the content is told'
          ? ({ origin: 'report', body: Buffer.alloc(0) } as const)
          : {};
      const { id } = await days.capture({
        ...victim,
        errorReason: 'timeout',
        traceId: 't',
        sourceAttempts: 1,
        ...origin,
      });
      const [row] = await database().sql('select * from dlq_events where id = $1', [id]);
      const client = await connect();
      for (const argument of listArguments()) {
        const capture = { ...facts, ...(isMute && { payload_encoding: 'none' }), ...argument };
        const said = JSON.stringify(argument).slice(0, 200);
        const isFirstContent =
          content === 'before the content is told' && capture.payload_encoding !== 'none';
        await client.query('begin');
        await client
          .query('select * from dlq_capture_events($1, $2, 600)', [
            JSON.stringify([capture]),
            Buffer.from('{}'),
          ])
          .catch((error) => checkError(error, row ?? {}, said));
        await client.query(isFirstContent ? 'rollback' : 'commit');
        const [after] = await database().sql('select * from dlq_events where id = $1', [id]);
        assert.deepEqual(after, row, said);
      }
      await client.end();
    });
  }

  it('of dlq_capture_events that is no limit at all opens, closes and delays nothing', async () => {
    const { id } = await openDays(database).capture({
      ...victim,
      errorReason: 'timeout',
      traceId: 't',
      sourceAttempts: 1,
    });
    const [row] = await database().sql('select * from dlq_events where id = $1', [id]);
    const client = await connect();
    for (const [recurrences, seconds] of [
      [-1, -1],
      [0, 0],
      [null, null],
      [2_147_483_647, 1e300],
      [0, 'NaN'],
      [0, 'Infinity'],
    ]) {
      // biome-ignore format: pairs
      await client
        .query('select * from dlq_capture_events($1, $2, $3, $4)', [
          JSON.stringify([{ ...facts, payload_encoding: 'none' }]), Buffer.alloc(0), recurrences, seconds]) // biome-ignore format: one line
        .catch((error) => checkError(error, row ?? {}, `${recurrences}, ${seconds}`));
    }
    await client.end();
    assert.deepEqual(await database().sql('select * from dlq_events where id = $1', [id]), [row]);
  });

  for (const content of ['without content', 'with other content'] as const) {
    it(`of a transaction that stays open keeps no settlement and no other capture waiting, ${content}`, async () => {
      const days = openDays(database);
      const { id } = await days.capture({
        ...victim,
        errorReason: 'timeout',
        traceId: 't',
        sourceAttempts: 1,
      });
      const client = await connect();
      await client.query('begin');
      const payload = content === 'without content' ? null : { other: true };
      await client.query(
        `select dlq_capture(event_type => 'order.created', payload => $1, event_id => 'victim', error_reason => 'again',
           error_kind => 'permanent', consumer_group => 'billing', source_topic => 'evil')`,
        [payload],
      );
      await database().sql(
        `begin; set local lock_timeout = '2s'; update dlq_events set status = 'PROCESSING' where id = ${id};
         update dlq_events set status = 'SUCCEEDED' where id = ${id}; commit`,
      );
      await days.capture({ eventKey: 'id:another', eventId: 'another' });
      await client.query('commit');
      await client.end();

      assert.equal((await days.show(id)).status, 'SUCCEEDED');
    });
  }

  it('that adds to an event which another transaction changes at this moment overwrites none of its changes', async () => {
    const days = openDays(database);
    const { id } = await days.capture({ ...victim, errorReason: 'timeout' });
    const lease = `update dlq_events set status = 'PROCESSING' where id = ${id}`;
    await whileTransactionIsOpen(database().url, lease, async (commit) => {
      const captured = database().sql(
        `select dlq_capture(event_type => 'order.created', payload => null, event_id => 'victim',
           consumer_group => 'billing', trace_id => 'added')`,
      );
      const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await waitUntil('the capture waits', async () => (await database().sql(waits)).length === 1);
      await commit();
      await captured;
    });
    const [row] = await database().sql('select status, trace_id from dlq_events where id = $1', [id]);
    assert.deepEqual(row, { status: 'PROCESSING', trace_id: 'added' });
  });

  it('of the functions of maintenance touches no open event', async () => {
    await openDays(database).capture(victim);
    const before = await read();
    const { url: maintain } = await aLogin('in role dlq_maintain');
    const client = new pg.Client({ connectionString: maintain });
    await client.connect();
    const calls = [
      ...[`'{}'`, `array(select id from dlq_events)`, 'null', `'{null}'`].map(
        (ids) => `select dlq_restore_events(${ids})`,
      ),
      ...['0, 1000', '-1, 1', '100000, 100000', 'null, null'].map(
        (limits) => `select dlq_drop_archive_month(null, null, ${limits})`,
      ),
      ...[`'today', null`, `'dlq_events', null`, `'2999-01-01', null`, 'null, null'].map(
        (month) => `select dlq_drop_archive_month(${month}, 0, 1000)`,
      ),
      ...['0', '-1', 'null'].map((months) => `select dlq_create_archive_partitions(${months})`),
    ];
    for (const call of calls)
      await client.query(call).catch((error) => checkError(error, before[0] ?? {}, call));
    await client.end();
    assert.deepEqual(await read(), before);
  });
});
