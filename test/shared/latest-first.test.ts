import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { listEvents } from '../../shared/event-pages.ts';
import { firstPosition, parsePosition, printPosition } from '../../shared/latest-first.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

describe('the latest events first', () => {
  const database = useDatabase();

  it('are listed where one of them failed at no time that has a number', async () => {
    const endless = await anEvent(database(), { first_failure_at: '-infinity', last_failure_at: 'infinity' });
    const other = await anEvent(database());
    const filter = { failedAfter: '2000-01-01' };
    const listed = await listEvents(database().db, filter, { ...firstPosition, most: 9 });

    assert.deepEqual(
      listed.map(({ id }) => id),
      [endless, other],
    );
    assert.equal(listed[0]?.time, null);
  });

  it('begin behind a time to the microsecond, of any year', async () => {
    const times = [
      '1814-03-01T10:00:00.000001Z',
      '2026-03-01T10:00:00.123456Z',
      '2026-03-01T10:00:00.123457Z',
    ];
    const ids: string[] = [];
    for (const at of times) {
      ids.push(
        await anEvent(database(), {
          event_type: 'near',
          created_at: at,
          first_failure_at: at,
          last_failure_at: at,
        }),
      );
    }
    const filter = { eventType: ['near'], failedAfter: '1800-01-01' };
    const found: (string | undefined)[] = [];
    let position = firstPosition;
    for (const _ of times) {
      const [event] = await listEvents(database().db, filter, { ...position, most: 1 });
      found.push(event?.id);
      position = (event && parsePosition(printPosition(event))) ?? firstPosition;
    }

    assert.deepEqual(found, ids.toReversed());
  });

  it('may begin behind any id that there can be', () => {
    for (const id of ['9223372036854775807', '9223372036854775806', '1099511627776000000', '1']) {
      assert.deepEqual(parsePosition(id), { before: id, time: null });
    }
    assert.equal(parsePosition('9223372036854775808'), undefined);
  });

  it('have a position that is read as it was written, and nothing else is one', () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String);
    fc.assert(
      fc.property(digits, fc.option(digits), (id, time) => {
        assert.deepEqual(parsePosition(printPosition({ id, time })), { before: id, time });
      }),
    );
    for (const text of ['', '~', '~1', '1~', 'x~1', '1~2~3', '1 2', '9'.repeat(19), `${'9'.repeat(19)}~1`]) {
      assert.equal(parsePosition(text), undefined, text);
    }
  });
});
