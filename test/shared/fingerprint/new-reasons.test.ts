import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { crowdOf } from '../../../shared/fingerprint/new-reasons.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { refreshUnlessReplica } from '../../../shared/groups/refresh-groups.ts';
import { aCapture } from '../../support/captures.ts';
import { useDatabase } from '../../support/database.ts';
import { useFailures } from '../../support/failures.ts';
import { firstGroups } from '../../support/group-page.ts';

/** A word of its own for each number: normalized messages have no digits. */
const word = (n: number) => n.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');

describe('a flood of new reasons', () => {
  const database = useDatabase();
  const fail = useFailures(database);
  const store = (reasons: readonly string[]) =>
    storeCaptures(
      { db: database().db, repeatSeconds: 600 },
      reasons.map((errorReason, n) =>
        aCapture({ eventKey: `id:${errorReason}-${n}`, errorReason, consumerGroup: 'flooded' }),
      ),
    );
  const list = async () => {
    await refreshUnlessReplica(database().db);
    return listGroups(database().db, { ...firstGroups(), limit: 100 });
  };
  const flooded = { eventType: 'order.created', consumer: 'flooded' };
  // A thousand reasons of its type and consumer, of which the last fifty make groups here, and then 200.
  before(async () => {
    await fail('known before', 1, 'order.known');
    for (let n = 0; n < 950; n++) crowdOf(flooded, `v3:${n}`);
    await store(Array.from({ length: 250 }, (_, n) => `${word(n)} is no such plan`));
  });

  it('makes a group of each of a thousand, and then one of many different reasons that says so', async () => {
    const groups = await list();
    const [crowd] = groups;

    assert.equal(groups.length, 52);
    assert.match(crowd?.title ?? '', /^Many different reasons, such as \w+ is no such plan$/);
    assert.equal(crowd?.failures, 200);
  });

  it('leaves the failures of known groups in them', async () => {
    await store(['known before', 'one more new reason']);
    const groups = await list();

    const known = groups.find(({ fingerprint }) => fingerprint === fingerprintReason('known before'));
    assert.equal(known?.failures, 2);
    assert.equal(groups.length, 52);
  });

  it('counts each of two thousand types apart', () => {
    const failures = Array.from({ length: 2000 }, (_, n) => ({ eventType: `type.${n}`, consumer: null }));
    assert.deepEqual(
      failures.filter((failure) => crowdOf(failure, 'v3:new') !== null),
      [],
    );
  });

  it('ends after a day', () => {
    assert.notEqual(crowdOf(flooded, 'v3:new'), null);
    assert.equal(crowdOf(flooded, 'v3:new', Date.now() + 86_400_001), null);
  });
});
