import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a saved view', () => {
  const database = useDatabase();
  const routes = [{ ...aRouteTo('http://shop/'), mask: ['$.card'] }];
  const served = useConsole(database, { routes });
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const send = (fields: Record<string, string>) => sendForm(`${served().url}/views`, fields);
  const link = (path: string, name: string, whose: string) =>
    new RegExp(`href="${path}"[^>]*>${name}<span class="muted">${whose}<`);
  beforeEach(() => {
    served().caller = operator;
  });

  it('is listed above its list, for its owner or for the team, until it is removed', async () => {
    await send({ name: 'Refunds', path: 'events?q=type%3Arefund.*', command: 'save' });
    await send({ name: 'Fresh', path: 'groups?order=novelty', command: 'save', team: 'on' });
    assert.match(await read('events'), link('events\\?q=type%3Arefund\\.\\*', 'Refunds', 'mine'));
    assert.match(await read('groups'), link('groups\\?order=novelty', 'Fresh', 'team'));
    assert.doesNotMatch(await read('events'), />Fresh</);

    served().caller = viewer;
    assert.doesNotMatch(await read('events'), />Refunds</);
    assert.match(await read('groups'), />Fresh</);
    served().caller = operator;
    assert.match(await read('events?q=type%3Arefund.*'), />Remove Refunds</);
    await send({ name: 'Refunds', path: 'events?q=type%3Arefund.*', command: 'remove' });
    assert.doesNotMatch(await read('events'), />Refunds</);
  });

  it('is recorded once, however often it is saved or removed', async () => {
    const count = async () =>
      (await database().sql("select id from dlq_audit where details ? 'view'")).length;
    const view = { name: 'Twice', path: 'events?q=type%3Atwice' };
    const before = await count();
    for (const command of ['remove', 'save', 'save', 'remove', 'remove']) await send({ ...view, command });
    assert.equal((await count()) - before, 2);
  });

  it('begins with the newest, whichever page of a list it was saved on', async () => {
    const page = await read('events?q=type%3Afresh.*&before=7');
    assert.match(page, /name="path" value="events\?q=type%3Afresh\.\*"/);
    await send({ name: 'Newest', path: 'events?q=type%3Afresh.*', command: 'save' });
    assert.match(await read('events?q=type%3Afresh.*&before=7'), />Remove Newest</);
    assert.doesNotMatch(await read('events?before=7'), /Save this view/);
  });

  it('is of a list, and compares no masked value', async () => {
    assert.equal((await send({ name: 'x', path: 'https://evil.example/?', command: 'save' })).status, 400);
    const masked = `events?${new URLSearchParams({ q: 'payload:{"card":"4242"}' })}`;
    assert.equal((await send({ name: 'x', path: masked, command: 'save', team: 'on' })).status, 400);
    served().caller = viewer;
    assert.equal((await send({ name: 'x', path: 'events?q=a', command: 'save' })).status, 403);
  });
});
