import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { openFormPage, readText } from '../../support/form-pages.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the preview of a replay', () => {
  const database = useDatabase();
  const routes = [
    aRouteTo('http://down/', { match: { eventType: 'order.*' } }),
    aRouteTo('http://up/', { match: { eventType: 'user.*' } }),
  ];
  const served = useConsole(database, { routes });
  before(async () => {
    await anEvent(database(), { event_type: 'order.paid' });
    for (const payload of ['{"name": "ada"}', '{"name": "ada"}', '{"nick": "bob"}'])
      await anEvent(database(), { event_type: 'user.created', payload, body: Buffer.from(payload) });
    await database().sql(`insert into dlq_breakers (target, state, opened_at, probe_after)
      values ('http://down/', 'OPEN', now() - interval '1 hour', now() + interval '1 minute')`);
  });
  const read = async (query: string) =>
    readText((await openFormPage(`${served().url}/runs/new?${query}`)).html).replaceAll(/\s+/g, ' ');

  it('counts as held back what goes to a target that is down', async () => {
    const all = await read('q=type:*');
    assert.match(all, /Selected4fixed.*Can go now3to 2 targets.*Held back1see the reasons/);
    assert.match(all, /down\/ is down, began 1 h ago.*: 1 event waits for it\./);
    const up = await read('q=type:user.*');
    assert.match(up, /Can go now3to 1 target.*Held back0nothing/);
    assert.doesNotMatch(up, /waits? for it/);
  });

  it('lists the first events, or what a patch changes of them and does not fit', async () => {
    assert.match(await read('q=type:user.*'), /First eventsuser\.created/);
    const patch = JSON.stringify([{ op: 'replace', path: '/name', value: 'eve' }]);
    const patched = await read(`q=type:user.*&patch=${encodeURIComponent(patch)}`);
    assert.match(patched, /Can go now2.*Held back1see the reasons/);
    assert.match(patched, /PatchFits2Does not fit: will be skipped1.*1 event: .*Show them/);
    assert.match(patched, /First events after the patch.*removed: .*"ada".*added: .*"eve"/);
    assert.doesNotMatch(patched, /First eventsuser|Unknown: not checked/);
  });
});
