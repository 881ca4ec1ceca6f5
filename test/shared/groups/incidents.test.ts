import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { listIncidents } from '../../../shared/groups/incidents.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useApi } from '../../support/api.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { useFailures } from '../../support/failures.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('an incident', () => {
  const database = useDatabase();
  const routes = [
    aRouteTo('http://shop/', { match: { eventType: 'order.*' } }),
    aRouteTo('http://payments/', { match: { eventType: 'payment.*' } }),
  ];
  const served = useConsole(database, { routes });
  const api = useApi(database, { routes });
  const fail = useFailures(database);
  const incidents = () => listIncidents({ db: database().db, routes }, new Date());
  const beganAgo = (reason: string, minutes: number) =>
    database().sql(
      `update dlq_error_groups set first_seen_at = now() - make_interval(mins => $2) where fingerprint = $1`,
      [fingerprintReason(reason), minutes],
    );
  before(async () => {
    await fail('HTTP 503: down', 3, 'payment.made');
    await fail('connection refused', 2, 'payment.made');
    await fail('timeout', 1, 'payment.refunded');
    await fail('no stock', 4, 'order.created');
    await fail('no such currency', 1, 'payment.made');
    await fail('nobody listens', 1, 'parcel.sent');
    await fail('nothing listens', 1, 'parcel.sent');
    await beganAgo('HTTP 503: down', 30);
    await beganAgo('timeout', 25);
    await beganAgo('connection refused', 21);
  });

  it('folds the errors that began together at one target, and no others', async () => {
    const [incident, ...others] = await incidents();

    assert.deepEqual(others, []);
    assert.deepEqual([incident?.target, incident?.open, incident?.failures], ['http://payments/', 6, 6]);
    assert.deepEqual(
      incident?.groups.map(({ title }) => title),
      ['HTTP 503: down', 'connection refused', 'timeout'],
    );
  });

  it('is one row of the errors page, with one replay and one mute', async () => {
    const page = await (await fetch(`${served().url}/groups`)).text();
    const [incident = '', table = ''] = page.split('Other errors');

    assert.match(incident, /payments\/.*3 errors, in all 6 events/s);
    assert.match(decodeURIComponent(incident), /runs\/new\?q=fingerprint:v\d:\w+,v\d:\w+,v\d:\w+\+status/);
    assert.match(incident, /action="groups".*name="command" value="MUTED"/s);
    assert.doesNotMatch(table, /connection refused/);
    assert.match(table, /no stock/);
  });

  it('has neither for a viewer', async () => {
    served().caller = viewer;
    const page = await (await fetch(`${served().url}/groups`)).text();
    served().caller = operator;
    assert.match(page, /payments\/.*3 errors/s);
    assert.doesNotMatch(page, /Replay…|value="MUTED"|You have the viewer role/);
  });

  it('is a row of the overview, with one replay', async () => {
    const [overview = ''] = (await (await fetch(served().url)).text()).split('id="errors-in');
    assert.match(
      overview,
      /id="incidents".*payments\/.*3 errors, in all 6 events.*runs\/new\?q=fingerprint/s,
    );
  });

  it('shows its errors if one needs a decision, and that one first', async () => {
    const read = async () => (await fetch(`${served().url}/groups`)).text();
    const shown = /<details class="collapsible" open><summary>3 errors<.*?timeout.*?1 event failed/s;
    assert.doesNotMatch(await read(), shown);
    await database().sql(
      "update dlq_events set status = 'FAILED_PERMANENTLY' where error_reason = 'timeout'",
    );
    await refresh(database().db);
    assert.match(await read(), shown);
    assert.match(await read(), /payments\/.*3 errors, in all 6 events, 1 failed permanently/s);
    await database().sql("update dlq_events set status = 'PENDING' where error_reason = 'timeout'");
    await refresh(database().db);
  });

  it('is found behind hundreds of later errors whose events were discarded a moment ago', async () => {
    await database().sql(
      `insert into dlq_events (event_type, payload, fingerprint, error_reason) select 'parcel.sent', '{}', 'v2:later' || n, 'later' from generate_series(1, 310) n`,
    );
    await refresh(database().db);
    await database().sql(`update dlq_events set status = 'DISCARDED' where fingerprint like 'v2:later%'`);

    assert.equal((await incidents()).length, 1);
    await database().sql(`delete from dlq_events where fingerprint like 'v2:later%'`);
  });

  it('ends when its errors are muted, each with the reason in the audit', async () => {
    const { body } = await api().get<{ items: { groups: { fingerprint: string }[] }[] }>('/incidents');
    const fingerprints = body.items[0]?.groups.map(({ fingerprint }) => fingerprint);
    const mutedUntil = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal(
      (await api().post('/groups/change', { fingerprints, change: { state: 'MUTED' } })).status,
      400,
    );
    const change = { state: 'MUTED', mutedUntil, reason: 'payments is being repaired' };
    await api().post('/groups/change', { fingerprints, change });

    assert.deepEqual(await incidents(), []);
    const [audit] = await database().sql(
      `select count(*)::int as entries, min(reason) as reason from dlq_audit where action = 'change group'`,
    );
    assert.deepEqual(audit, { entries: 3, reason: 'payments is being repaired' });
  });
});
