import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  firstPosition,
  parsePosition,
  printPosition,
} from '../../../../shared/events/filter/page-position.ts';
import { listEvents } from '../../../../shared/events/list-events.ts';
import { behind, readPart } from '../../../../shared/events/read-part.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';

describe('a page of events', () => {
  const database = useDatabase();

  it('includes an event with an infinite or the latest time of failure', async () => {
    const endless = await anEvent(database(), { first_failure_at: '-infinity', last_failure_at: 'infinity' });
    const latest = await anEvent(database(), { last_failure_at: '294276-12-31' });
    const other = await anEvent(database());
    const filter = { failedAfter: '2000-01-01' };
    const listed = await listEvents(database().db, filter, { ...firstPosition, max: 9 });

    assert.deepEqual(
      listed.map(({ id }) => id),
      [endless, latest, other],
    );
    assert.equal(listed[0]?.time, null);
  });

  it('starts after a time of any year, to the microsecond', async () => {
    const times = [
      '-infinity',
      '-infinity',
      '1814-03-01T10:00:00.000001Z',
      '2026-03-01T10:00:00.123456Z',
      '2026-03-01T10:00:00.123457Z',
      '2300-01-01T00:00:00.000005Z',
      '2300-01-01T00:00:00.000007Z',
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
    const filter = { eventType: ['near'], failedBefore: '2999-01-01' };
    const found: (string | undefined)[] = [];
    let position = firstPosition;
    for (const _ of times) {
      const [event] = await listEvents(database().db, filter, { ...position, max: 1 });
      found.push(event?.id);
      position = (event && parsePosition(printPosition(event))) ?? firstPosition;
    }

    assert.deepEqual(found, ids.toReversed());
  });

  it('starts after any id of a bigint, and after a time in the year 100000', () => {
    for (const id of ['9223372036854775807', '9223372036854775806', '1099511627776000000', '1']) {
      assert.deepEqual(parsePosition(id), { ...firstPosition, before: id });
    }
    assert.equal(parsePosition('9223372036854775808'), undefined);
    const time = '3093527980800000000';
    assert.deepEqual(parsePosition(`${time}~1`), { ...firstPosition, before: '1', time });
  });

  it('has a position that is parsed as it was printed; all other texts are rejected', () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String);
    fc.assert(
      fc.property(digits, fc.option(digits), (id, time) => {
        assert.deepEqual(parsePosition(printPosition({ id, time })), { ...firstPosition, before: id, time });
      }),
    );
    for (const text of ['', '~', '~1', '1~', 'x~1', '1~2~3', '1 2', '9'.repeat(19), `${'9'.repeat(19)}~1`]) {
      assert.equal(parsePosition(text), undefined, text);
    }
    assert.equal(parsePosition(`-${'9'.repeat(19)}~1`), undefined);
  });

  it('starts after a time before all that PostgreSQL has', async () => {
    const position = parsePosition(`-${'9'.repeat(18)}~1`);
    assert.ok(position);
    const page = { ...position, max: 9 };
    assert.deepEqual(await listEvents(database().db, { failedBefore: '2999-01-01' }, page), []);
  });
});

describe('a part of a list by time', () => {
  const database = useDatabase();

  it('ends with all events of one moment, and the next one begins behind them', async () => {
    const at = { first_failure_at: '2026-01-01', last_failure_at: '2026-01-02' };
    const ids = [await anEvent(database(), { ...at, last_failure_at: '2026-01-01' })];
    for (const _ of '123') ids.unshift(await anEvent(database(), at));
    const filter = { failedAfter: '2025-01-01' };
    const walk = { filter, isArchived: false, position: firstPosition };
    const first = await readPart(database().db, walk, { size: 2, max: 9 });
    assert.ok(first.end);
    const next = await readPart(database().db, { ...walk, position: behind(first.end) }, { size: 2, max: 9 });
    const found = [first, next].map(({ rows }) => rows.map(({ id }) => id));
    assert.deepEqual(found, [ids.slice(0, 3), ids.slice(3)]);
  });
});
