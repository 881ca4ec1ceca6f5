import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { actions } from '../../../shared/events/actions/actions.ts';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { useApi } from '../../support/api.ts';
import { useDatabase } from '../../support/database.ts';
import { exampleInputs } from '../../support/example-inputs.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

const reason = 'a test';
const target = 'http://shop/';

describe('a request that has no effect', () => {
  const database = useDatabase();
  const routes = [aRouteTo(target)];
  const api = useApi(database, { routes });
  const fingerprint = fingerprintReason('timeout');
  const change = { owner: 'ann', note: 'a note', reason };
  const named = { fingerprints: [fingerprint], change, reason: undefined };
  const post = async (path: string, body: object) => {
    return (await api().post<{ auditId?: string }>(path, { reason, ...body })).body;
  };
  const recorded = async () => (await database().sql('select action from dlq_audit order by id')).length;
  let [discarded, run]: (string | undefined)[] = [];
  before(async () => {
    const id = await anEvent(database(), { fingerprint });
    await api().get('/groups');
    ({ auditId: discarded } = await post('/events/discard', { filter: { ids: [id] } }));
    await post(`/audit/${discarded}/undo`, {});
    run = (await aRun({ db: database().db, routes }, { filter: { ids: [id] } })).id;
    await post('/groups/change', named);
    await post(`/runs/${run}/pause`, {});
    await post('/stop', {});
  });

  const requests: Readonly<Record<string, () => readonly [path: string, body: object]>> = {
    ...Object.fromEntries(
      actions.map((action) => [
        `to ${action.name} no event`,
        () => [`/events/${action.name}`, { filter: { eventType: 'none' }, ...exampleInputs(action) }],
      ]),
    ),
    'to undo an action again': () => [`/audit/${discarded}/undo`, {}],
    'to restore what is not archived': () => ['/events/restore', { ids: ['999'] }],
    'to give an error its owner again': () => ['/groups/change', named],
    'to pause a replay again': () => [`/runs/${run}/pause`, {}],
    'to hold a target again': () => [`/targets/${encodeURIComponent(target)}/hold`, {}],
    'to stop all deliveries again': () => ['/stop', {}],
  };
  for (const [what, request] of Object.entries(requests))
    it(`${what} is not recorded as an action`, async () => {
      const count = await recorded();
      assert.equal((await post(...request())).auditId, undefined);
      assert.equal(await recorded(), count);
    });
});
