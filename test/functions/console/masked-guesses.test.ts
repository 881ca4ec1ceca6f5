import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

const secret = 'cleo@customer.example';
const guess = `payload:{"customer":{"email":"${secret}"}}`;

describe('a guess of a masked value', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://shop/', { mask: ['$.customer.email'] })];
  const served = useConsole(database, { routes });
  let id = '';
  beforeEach(async () => {
    await database().clear();
    served().caller = operator;
    const payload = JSON.stringify({ customer: { email: secret } });
    id = await anEvent(database(), { body: Buffer.from(payload), payload });
  });
  const open = async (path: string, values: Record<string, string> = {}) => {
    const response = await fetch(`${served().url}/${path}?${new URLSearchParams(values)}`);
    return { status: response.status, html: await response.text() };
  };
  const recorded = async () =>
    (await database().sql(`select from dlq_audit where action = 'compare masked values'`)).length;

  it('by a word finds nothing for a viewer, and the event for an operator', async () => {
    const search = async () => {
      const { status, html } = await open('events', { q: 'cleo' });
      return [status, html.includes(`href="events/${id}"`)];
    };
    assert.deepEqual(await search(), [200, true]);
    served().caller = viewer;
    assert.deepEqual(await search(), [200, false]);
  });

  it('in the preview of a replay is rejected for a viewer, and recorded for an operator', async () => {
    assert.equal((await open('runs/new', { q: guess })).status, 200);
    assert.equal(await recorded(), 1);
    served().caller = viewer;
    assert.equal((await open('runs/new', { q: guess })).status, 403);
    assert.equal(await recorded(), 1);
  });

  it('is recorded again with the replay that it starts', async () => {
    const { html } = await open('runs/new', { q: guess });
    const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const values = fields.map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]);
    const form = { ...Object.fromEntries(values), q: guess, pace: 'careful', command: 'create' };
    const { headers } = await sendForm(`${served().url}/runs/new`, { ...form, reason: 'mended' });
    assert.match(headers.get('location') ?? '', /^\/runs\/\d+/);
    assert.equal(await recorded(), 2);
  });

  it('in the filter of a replay is no link to its events', async () => {
    const filter = { payload: { customer: { email: secret } } };
    const run = await aRun({ db: database().db, routes }, { filter });
    const { html } = await open(`runs/${run.id}`);
    assert.match(html, /\(hidden\)/);
    assert.doesNotMatch(html, /href="events\?q=payload/);
  });

  it('is all that a viewer has: no form unmasks the event', async () => {
    served().caller = viewer;
    const { html } = await open(`events/${id}`);
    assert.match(html, /Some fields of this event are masked/);
    assert.doesNotMatch(html, /<form[^>]*method="post"/);
  });
});
