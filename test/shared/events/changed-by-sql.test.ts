import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../../support/database.ts';
import { openDays } from '../../support/days.ts';

describe('an event that plain SQL changes', () => {
  const database = useDatabase();
  const days = openDays(database);
  beforeEach(days.begin);
  const update = (assignments: string) => database().sql(`update dlq_events set ${assignments}`);
  const read = async (columns: string) => (await database().sql(`select ${columns} from dlq_events`))[0];
  const listOriginals = (columns: string) =>
    database().sql(`select ${columns} from dlq_captures where is_original order by id`);

  it('is sent once, however often its claim is written', async () => {
    await days.capture();
    for (let i = 0; i < 2; i++) await update(`status = 'PROCESSING'`);

    assert.deepEqual(await read('delivery_count'), { delivery_count: 1 });
    assert.equal((await database().sql('select from dlq_leases')).length, 1);
  });

  it('has failed in its latest delivery if its claim ends as PENDING', async () => {
    await days.capture();
    await update(`status = 'PROCESSING'`);
    await update(`status = 'PENDING'`);

    assert.deepEqual(await read('failed_delivery, delivery_count'), {
      failed_delivery: 1,
      delivery_count: 1,
    });
  });

  it('is not opened again by a time of processing while it is open', async () => {
    await days.capture();
    await update(`processed_at = now(), status = 'PENDING'`);

    assert.deepEqual(await read('reopened_at, processed_at'), { reopened_at: null, processed_at: null });
  });

  it('is due at once, and like one that was not tried, if it is opened again', async () => {
    await days.capture();
    await update(`status = 'FAILED_PERMANENTLY', retry_after = now() + interval '1 day', cause = 4711`);
    await update(`status = 'PENDING'`);

    assert.deepEqual(await read('retry_after <= now() as is_due, cause'), { is_due: true, cause: null });
  });

  it('keeps the bytes before the first change, and not those between', async () => {
    await days.capture();
    for (const n of [2, 3]) await update(`payload = '{"orderId": ${n}}'`);

    assert.deepEqual(await listOriginals(`facts -> 'payload' as payload, is_report`), [
      { payload: { orderId: 1 }, is_report: false },
    ]);
  });

  it('keeps whether its bytes were those of a report', async () => {
    await days.capture({ origin: 'report' });
    await update(`payload = '{"orderId": 2}'`);

    assert.deepEqual(await listOriginals('is_report'), [{ is_report: true }]);
  });

  it('has no longer the encoding of the bytes before', async () => {
    await days.capture({ headers: { 'content-encoding': 'gzip', tenant: 'a' } });
    await update(`payload = '{"orderId": 2}'`);

    assert.deepEqual(await read('headers'), { headers: { tenant: 'a' } });
  });

  for (const [was, is] of [
    ['text/plain; charset=Shift_JIS; format=flowed', 'text/plain; charset=utf-8; format=flowed'],
    ['application/json ;Charset="iso-8859-1"', 'application/json ; charset=utf-8'],
    ['application/json; charset=UTF-8', 'application/json; charset=UTF-8'],
    ['application/json', 'application/json'],
  ] as const)
    it(`is text in UTF-8, and not in the charset of ${was}`, async () => {
      await days.capture({ contentType: was });
      await update(`payload = '{"orderId": "ü"}'`);

      assert.deepEqual(await read('content_type'), { content_type: is });
    });

  it('keeps the charset of bytes that are no text in UTF-8', async () => {
    const content_type = 'text/plain; charset=Shift_JIS';
    await days.capture({ contentType: content_type });
    await update(`payload = '"g2WDWA=="', payload_encoding = 'base64'`);

    assert.deepEqual(await read('content_type'), { content_type });
  });

  it('has the bytes that are set together with its payload', async () => {
    await days.capture();
    await update(`payload = '"two"', payload_encoding = 'text', body = 'two'`);

    assert.deepEqual(await read(`convert_from(body, 'UTF8') as body, payload_encoding`), {
      body: 'two',
      payload_encoding: 'text',
    });
  });

  it('does not keep the answer of an attempt as the reason of its consumer', async () => {
    const { id } = await days.capture();
    await days.deliver(id, false);
    await update(`error_reason = 'HTTP 503'`);
    await update(`error_reason = 'no stock'`);

    assert.deepEqual(await listOriginals('facts'), []);
  });
});
