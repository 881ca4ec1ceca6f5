import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ruleFields } from '../../../shared/config/group-rules.ts';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { requireGroup } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { mergeGroup, previewSplit, splitByRule, splitGroup } from '../../../shared/groups/merge-and-split.ts';
import { refresh, refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useFailures } from '../../support/failures.ts';
import { firstGroups } from '../../support/group-page.ts';
import { whileTransactionIsOpen } from '../../support/open-transaction.ts';
import { countReads } from '../../support/plans.ts';

describe('an error split by a word', () => {
  const database = useDatabase();
  const fail = useFailures(database);
  const rule = { field: 'words', value: 'paypal' } as const;
  const act = { actor: 'ann', reason: 'two causes' };
  // The second line is not compared, and so both reasons have one fingerprint.
  const origin = fingerprintReason('payment 1 declined');
  const split = () => splitByRule(database().db, { ...act, fingerprint: origin, rule });
  const numbers = async () => {
    await refreshUnlessReplica(database().db);
    const groups = await listGroups(database().db, firstGroups());
    return Object.fromEntries(
      groups.map(({ fingerprint, failures, open }) => [fingerprint, [failures, open]]),
    );
  };
  beforeEach(async () => {
    await database().clear();
    await fail('payment 1 declined', 3);
    await fail('payment 2 declined\nby PayPal', 2);
  });

  it('is shown as both parts before', async () => {
    assert.deepEqual(await previewSplit(database().db, origin, rule), {
      with: { events: 2, titles: ['payment 2 declined'] },
      without: { events: 3, titles: ['payment 1 declined'] },
    });
    assert.deepEqual(Object.keys(await numbers()), [origin]);
  });

  it('is two, with the events, failures and later failures of each', async () => {
    const part = await split();
    assert.deepEqual(await numbers(), { [origin]: [3, 3], [part.fingerprint]: [2, 2] });

    await fail('payment 3 declined\nby PayPal');
    await fail('payment 4 declined');
    assert.deepEqual(await numbers(), { [origin]: [4, 4], [part.fingerprint]: [3, 3] });
  });

  it('takes no failure of another error that has the word, too', async () => {
    const part = await split();
    await fail('refund refused\nby PayPal');
    const other = fingerprintReason('refund refused');
    assert.deepEqual(await numbers(), { [origin]: [3, 3], [part.fingerprint]: [2, 2], [other]: [1, 1] });
  });

  it('is two for failures that plain SQL inserts', async () => {
    const part = await split();
    await database().sql(
      `insert into dlq_events (event_type, payload, error_reason) values ('a', '{}', E'payment 9 declined\\nPAYPAL')`,
    );
    assert.deepEqual((await numbers())[part.fingerprint], [3, 3]);
  });

  it('is one again when its part is merged back, and two when that is split off again', async () => {
    const part = await split();
    await mergeGroup(database().db, { ...act, fingerprint: part.fingerprint, into: origin });
    assert.deepEqual(await numbers(), { [origin]: [5, 5] });

    await fail('payment 3 declined\nby PayPal');
    assert.deepEqual(await numbers(), { [origin]: [6, 6] });

    await splitGroup(database().db, { ...act, fingerprint: part.fingerprint });
    assert.deepEqual(await numbers(), { [origin]: [3, 3], [part.fingerprint]: [3, 3] });
  });

  it('keeps its events in their groups when two parts that both match one are merged back', async () => {
    await fail('payment 3 declined\nby PayPal and Visa');
    for (const value of ['visa', 'paypal']) {
      const of = { ...act, fingerprint: origin, rule: { field: 'words', value } as const };
      const part = await splitByRule(database().db, of);
      await mergeGroup(database().db, { ...act, fingerprint: part.fingerprint, into: origin });
    }
    assert.equal((await refresh(database().db)).split, 0);
  });

  it('is split with the groups that were merged into it', async () => {
    await fail('refund failed', 1);
    await fail('refund failed: PayPal', 1);
    for (const reason of ['refund failed', 'refund failed: PayPal']) {
      await mergeGroup(database().db, { ...act, fingerprint: fingerprintReason(reason), into: origin });
    }
    const part = await split();
    assert.deepEqual(await numbers(), { [origin]: [4, 4], [part.fingerprint]: [3, 3] });
  });

  it('gets the events of an error that is merged into the other one later', async () => {
    await fail('refund failed', 1);
    await fail('refund failed: PayPal', 1);
    const part = await split();
    for (const reason of ['refund failed', 'refund failed: PayPal']) {
      await mergeGroup(database().db, { ...act, fingerprint: fingerprintReason(reason), into: origin });
    }
    assert.deepEqual(await numbers(), { [origin]: [4, 4], [part.fingerprint]: [3, 3] });
  });

  it('is compared with each event once, whatever refreshes it later', async () => {
    await split();
    const reads = await countReads(database(), 'move-to-parts', { limit: 100 });
    assert.deepEqual(reads, { custom: 0, generic: 0 });
  });

  it('gets the events that were locked during the split with the next refresh', async () => {
    const lock = `select from dlq_events where error_reason like '%PayPal' order by id limit 1 for update`;
    let part = '';
    await whileTransactionIsOpen(database().url, lock, async () => {
      part = (await split()).fingerprint;
    });
    assert.deepEqual(await numbers(), { [origin]: [3, 3], [part]: [2, 2] });
  });

  it('is split by a field as well', async () => {
    await fail('payment 8 declined', 1, 'refund.created');
    const part = await splitByRule(database().db, {
      ...act,
      fingerprint: origin,
      rule: { field: 'type', value: 'refund.created' },
    });
    assert.deepEqual(await numbers(), { [origin]: [5, 5], [part.fingerprint]: [1, 1] });
  });

  const having: Readonly<Record<(typeof ruleFields)[number], object>> = {
    words: { error_stacktrace: 'at the-value (pay.js:1)' },
    class: { error_class: 'the-value' },
    type: { event_type: 'the-value' },
    consumer: { consumer_group: 'the-value' },
  };
  for (const field of ruleFields) {
    it(`has the events whose later failures it gets, by ${field}`, async () => {
      for (const [event_id, own] of Object.entries(having))
        await anEvent(database(), { event_id, fingerprint: origin, ...own });
      const value = 'the-value';
      await refreshUnlessReplica(database().db);
      const part = await splitByRule(database().db, { ...act, fingerprint: origin, rule: { field, value } });
      const groups = await database().sql(
        `select event_id, fingerprint as now, dlq_group_of($1, null, event_type, coalesce(source_subscription, consumer_group),
           error_class, error_reason, error_stacktrace) as later
         from dlq_events order by id`,
        [origin],
      );
      const inPart = groups.filter(({ now }) => now === part.fingerprint).map(({ event_id }) => event_id);
      assert.deepEqual(inPart, field === 'words' ? ['words', 'class'] : [field]);
      assert.deepEqual(
        groups.filter(({ now, later }) => now !== later),
        [],
      );
    });
  }

  it('begins without the state, owner and note of the other', async () => {
    await database().sql(`update dlq_error_groups set state = 'RESOLVED', owner = 'bob'`);
    const { fingerprint, state, owner } = await split();

    assert.deepEqual([state, owner], ['OPEN', null]);
    const other = await requireGroup(database().db, origin);
    assert.deepEqual([other.owner, fingerprint === origin], ['bob', false]);
  });

  it('is not split if one part would be empty', async () => {
    for (const value of ['nobody', 'payment']) {
      const of = { ...act, fingerprint: origin, rule: { field: 'words', value } as const };
      await assert.rejects(splitByRule(database().db, of), /event of this error has it/);
    }
  });

  it('is in the table of rules and in the audit, with the reason', async () => {
    const part = await split();
    assert.deepEqual(await database().sql('select * from dlq_group_rules'), [
      {
        fingerprint: part.fingerprint,
        rule: 'split',
        of: origin,
        field: 'words',
        value: 'paypal',
        reason: 'two causes',
      },
    ]);
    const [audited] = await database().sql(
      'select actor, action, reason from dlq_audit order by id desc limit 1',
    );
    assert.deepEqual(audited, { actor: 'ann', action: 'split group', reason: 'two causes' });
  });
});
