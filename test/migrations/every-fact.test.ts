import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type FactName, type Facts, factList } from '../../shared/capture/message.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { aCapture } from '../support/captures.ts';
import { useDatabase } from '../support/database.ts';

const time = new Date('2026-01-02T03:04:05Z');
/** The compiler names a fact that is missing. */
const every = {
  eventKey: 'id:order-1',
  consumer: 'billing',
  redelivery: null,
  attempt: null,
  deliveryId: 'delivery-1',
  origin: 'report',
  publication: '1767323045000@kafka:orders/3/4',
  failedAt: time,
  eventType: 'order.created',
  eventId: 'order-1',
  errorReason: 'timed out',
  errorClass: 'TimeoutError',
  errorStacktrace: 'at line 1',
  errorKind: 'transient',
  retryAfter: time,
  maxRetries: 7,
  priority: 3,
  sourceKind: 'kafka',
  sourceTopic: 'orders',
  sourcePartition: 3,
  sourceOffset: '4',
  sourceKey: 'k',
  sourceKeyBase64: 'aw==',
  sourceSubscription: 'billing',
  consumerGroup: 'billing',
  sourceAttempts: 5,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  occurredAt: time,
  metadata: { note: 1 },
} satisfies Pick<Facts, FactName>;
type Row = Readonly<Record<string, unknown>>;

describe('each fact that a capture may tell', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const columns = factList.map(([, [column]]) => column);
  const readEvent = async (id: string) => {
    const [row = {}] = await database().sql<Row>('select * from dlq_events where id = $1', [id]);
    return row;
  };
  const listLost = (row: Row, wanted: readonly string[]) =>
    wanted.filter((column) => column in row && row[column] === null);
  const capture = async () => {
    const [stored] = await storeCaptures({ db: database().db, repeatSeconds: 600 }, [aCapture(every)]);
    assert.ok(stored && 'id' in stored);
    return readEvent(stored.id);
  };

  it('is a field of what the database takes', async () => {
    const fields = await database().sql<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'dlq_captured'::regclass`,
    );
    const taken = fields.map(({ name }) => name);
    assert.deepEqual(
      columns.filter((column) => !taken.includes(column)),
      [],
    );
  });

  it('is stored in its column of the event', async () => {
    assert.deepEqual(listLost(await capture(), columns), []);
  });

  it('is kept by an edit of the event', async () => {
    const { id } = await capture();
    const [edit] = await database().sql<{ id: string }>(
      `select edit_id as id from dlq_edit_events(1, array[$1::bigint], array['{}'::bytea], array[null::jsonb])`,
      [id],
    );
    assert.deepEqual(listLost(await readEvent(edit?.id ?? ''), columns), []);
  });

  it('is told and stored by dlq_capture', async () => {
    const [{ names = [] } = {}] = await database().sql<{ names: string[] }>(
      `select proargnames as names from pg_proc where proname = 'dlq_capture'`,
    );
    // Derived from the others, or read from the headers of a redelivery.
    const derived = [
      'message_key',
      'consumer',
      'redelivery',
      'attempt',
      'delivery_id',
      'origin',
      'publication',
    ];
    assert.deepEqual(
      columns.filter((column) => !names.includes(column)),
      derived,
    );
    const told = factList.flatMap(([name, [column]]) =>
      names.includes(column) ? [[column, every[name]] as const] : [],
    );
    const values = told.map(([column, value]) => (column === 'source_key_bytes' ? Buffer.from('k') : value));
    const named = told.map(([column], index) => `${column} => $${index + 1}`);
    const [captured] = await database().sql<{ id: string }>(
      `select dlq_capture(payload => '{}', ${named}) as id`,
      values,
    );
    assert.deepEqual(listLost(await readEvent(captured?.id ?? ''), columns), []);
  });
});
