import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { warnOfOverdue } from '../../../shared/archive/warn-of-overdue.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { readLog } from '../../support/log-lines.ts';

describe('events that have been open for too long', () => {
  const database = useDatabase();
  const anEventOf = (days: number, columns = {}) =>
    anEvent(database(), { created_at: new Date(Date.now() - days * 86_400_000), ...columns });
  const warn = () =>
    readLog(() => warnOfOverdue(database().db, { openWarnDays: 14, archiveUndecidedAfterDays: 0 }));
  beforeEach(() => database().clear());

  it('are logged with their number and the age of the oldest', async () => {
    await anEventOf(20);
    await anEventOf(15, { status: 'PROCESSING' });
    const [line] = await warn();
    const { severity, action, events, oldestAt } = line ?? {};
    assert.deepEqual([severity, action, events], ['WARNING', 'overdue', 2]);
    assert.equal(Math.round((Date.now() - Date.parse(`${oldestAt}`)) / 86_400_000), 20);
  });

  it('are not deleted', async () => {
    const id = await anEventOf(4000);
    await warn();
    assert.deepEqual(await database().sql('select id from dlq_events'), [{ id }]);
  });

  it('exclude closed and younger events', async () => {
    await anEventOf(20, { status: 'FAILED_PERMANENTLY' });
    await anEventOf(13);
    assert.deepEqual(await warn(), []);
  });
});
