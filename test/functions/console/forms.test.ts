import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a form of the console', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const post = async (path: string, fields: Record<string, string>) => {
    const page = await fetch(`${served().url}/runs/new?q=type:none`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const response = await fetch(`${served().url}/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ csrf, ...fields }),
      headers: { cookie: page.headers.getSetCookie().join('; '), 'sec-fetch-site': 'same-origin' },
    });
    return { status: response.status, text: await response.text() };
  };

  it('keeps an edit that is not JSON, with its line and column at the field', async () => {
    const id = await anEvent(database(), { payload: '{"amount": 1}' });
    const sent = { body: '{"amount":\n  bad}', headers: '{}' };
    const { status, text } = await post(`events/${id}/edit`, sent);

    assert.equal(status, 400);
    assert.match(text, /name="body"[^>]*aria-invalid="true"/);
    assert.match(text, /id="body-problem">Must be JSON: line 2, column 3: invalid symbol/);
    assert.ok(text.includes('{&quot;amount&quot;:\n  bad}') || text.includes('{"amount":\n  bad}'));
    assert.doesNotMatch(text, /name="headers"[^>]*aria-invalid/);
  });

  it('keeps an edit whose headers are not JSON', async () => {
    const id = await anEvent(database(), { payload: '{"amount": 1}' });
    const { text } = await post(`events/${id}/edit`, { body: '{"amount": 2}', headers: '{"a": }' });
    assert.match(text, /id="headers-problem">Must be JSON: line 1, column 7: value expected/);
  });

  it('sets the pace of a replay by a preset, and keeps the reason', async () => {
    await anEvent(database(), { event_type: 'many' });
    await anEvent(database(), { event_type: 'many' });
    const { text } = await post('runs', {
      q: 'type:many',
      command: 'careful',
      reason: 'repaired',
      ramp: '7',
    });

    assert.match(text, /name="ramp" value="1, 5, 20, 100"/);
    assert.match(text, /name="canary" value="1"/);
    assert.match(text, /name="reason" value="repaired"/);
  });

  it('folds everything but the reason, and offers no pace for one event', async () => {
    await anEvent(database(), { event_type: 'single' });
    const text = await (await fetch(`${served().url}/runs/new?q=type:single`)).text();
    assert.match(text, /<details class="collapsible"><summary>Pace, selection and target/);
    assert.doesNotMatch(text, /value="careful"/);
  });
});
