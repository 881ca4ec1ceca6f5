import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';

describe('an event that plain SQL leases, closes or opens', () => {
  const database = useDatabase();
  beforeEach(() => database().clear());
  const set = (assignments: string) => database().sql(`update dlq_events set ${assignments}`);
  const test = async (condition: string) => {
    const [{ isMet } = {}] = await database().sql(`select ${condition} as "isMet" from dlq_events`);
    return isMet;
  };

  it('is leased for as long as the statement sets', async () => {
    await anEvent(database());
    await set(`status = 'PROCESSING', lease_expires_at = now() + interval '1 hour'`);
    assert.equal(await test('(select seconds from dlq_leases) = 3600'), true);
  });

  it('is closed at the time that the statement sets', async () => {
    await anEvent(database());
    await set(`status = 'DISCARDED', processed_at = '2026-01-01Z'`);
    assert.equal(await test(`processed_at = '2026-01-01Z'`), true);
  });

  for (const [what, time, isDue] of [
    ['sets no time', '', true],
    ['sets no end', `, retry_after = 'infinity'`, true],
    ['sets a later time', `, retry_after = '2100-01-01Z'`, false],
  ] as const)
    it(`is ${isDue ? 'due now' : 'due then'} if the statement that opens it ${what}`, async () => {
      await anEvent(database());
      await set(`status = 'FAILED_PERMANENTLY', retry_after = '2090-01-01Z'`);
      await set(`status = 'PENDING'${time}`);
      assert.equal(await test('retry_after <= now()'), isDue);
    });
});
