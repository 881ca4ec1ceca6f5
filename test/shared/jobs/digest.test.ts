import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { logDigest } from '../../../shared/jobs/digest.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { readLog } from '../../support/log-lines.ts';

describe('the weekly digest', () => {
  const database = useDatabase();

  it('says what failed within the week, why, what waits, and what operators did', async () => {
    const { sql, db } = database();
    const failed = (reason: string, status = 'PENDING') =>
      anEvent(database(), { status, error_reason: reason, error_class: null, fingerprint: null });
    for (const reason of ['card declined', 'card declined', 'no such customer']) await failed(reason);
    const today = new Date().toISOString().slice(0, 10);
    await failed('no such customer', 'FAILED_PERMANENTLY');
    await refresh(db);
    await sql(
      `insert into dlq_audit (at, actor, action) values
         (now(), 'ada', 'discard'), (now(), 'ben', 'discard'), (now(), 'ada', 'create run'),
         (now() - interval '8 days', 'ada', 'reopen'), (now(), 'service', 'reopen group')`,
    );
    const [line] = await readLog(() => logDigest(db));

    assert.equal(line?.action, 'digest');
    assert.deepEqual(String(line?.message).split('\n'), [
      'Last 7 days: 4 failures, 0 delivered, 1 failed permanently.',
      `Now: 3 open, the oldest since ${today}; 1 failed permanently and waits for a decision.`,
      'Most failures:',
      '- 2 × card declined',
      '- 2 × no such customer',
      'Actions of operators:',
      '- 2 × discard',
      '- 1 × create run',
    ]);
  });

  it('names an error that has no title yet by its fingerprint', async () => {
    await database().sql('update dlq_error_groups set title = null');
    const [{ fingerprint } = {}] = await database().sql('select fingerprint from dlq_error_groups limit 1');
    const [line] = await readLog(() => logDigest(database().db));
    assert.match(String(line?.message), new RegExp(`\n- 2 × ${fingerprint}\n`));
  });

  it('says that nothing happened', async () => {
    await database().clear();
    const [line] = await readLog(() => logDigest(database().db));

    assert.deepEqual(String(line?.message).split('\n'), [
      'Last 7 days: 0 failures, 0 delivered, 0 failed permanently.',
      'Now: 0 open; 0 failed permanently and wait for a decision.',
      'No operator acted.',
    ]);
  });
});
