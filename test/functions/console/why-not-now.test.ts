import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdTarget } from '../../../shared/targets/change-hold.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the list of events', () => {
  const database = useDatabase();
  const routes = [
    { ...aRouteTo('http://shop/', { match: { eventType: 'order.*' } }), ordered: true },
    aRouteTo('http://mail/', { match: { eventType: 'mail.*' } }),
  ];
  const served = useConsole(database, { routes });

  it('says of each event what it waits for', async () => {
    const first = await anEvent(database(), { source_key: 'k', status: 'FAILED_PERMANENTLY' });
    await anEvent(database(), { source_key: 'k' });
    await anEvent(database(), { event_type: 'invoice.created' });
    await anEvent(database(), { event_type: 'mail.sent' });
    await holdTarget({ db: database().db, routes }, { target: 'http://mail/', actor: 'ann', reason: 'x' });
    const page = await (await fetch(`${served().url}/events`)).text();

    assert.match(page, new RegExp(`title="An earlier event of its key goes first\\.">behind ${first}<`));
    assert.match(page, /title="No route matches it\.">no route</);
    assert.match(page, /title="Its target is held\. ann: x">target held</);
  });
});
