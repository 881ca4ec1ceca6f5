import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('merging errors in the console', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const get = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const post = (path: string, fields: Record<string, string>) => sendForm(`${served().url}/${path}`, fields);
  before(async () => {
    await anEvent(database(), { fingerprint: 'v2:a', error_reason: 'connection reset' });
    await anEvent(database(), { fingerprint: 'v2:b', error_reason: 'broken pipe' });
    await get('groups');
  });
  beforeEach(() => {
    served().caller = operator;
  });

  it('offers the other errors, asks for a reason, and keeps the form if something is wrong', async () => {
    const page = await get('groups/v2%3Aa/merge');
    assert.ok(page.includes('value="v2:b"') && !page.includes('value="v2:a"'));
    const rejected = await post('groups/v2%3Aa/merge', { into: 'v2:b' });
    assert.equal(rejected.status, 400);
    assert.match(await rejected.text(), /<code>reason<\/code> Give a reason/);
  });

  it('shows both as one error, with a form that splits them, and leads from the merged one to it', async () => {
    const merged = await post('groups/v2%3Aa/merge', { into: 'v2:b', reason: 'one outage' });
    assert.equal(merged.headers.get('location')?.split('/').at(-1), 'v2%3Ab');
    const led = await fetch(`${served().url}/groups/v2%3Aa`, { redirect: 'manual' });
    assert.equal(led.headers.get('location')?.split('/').at(-1), 'v2%3Ab');
    const page = await get('groups/v2%3Ab');
    for (const words of [
      'connection reset',
      'action="groups/v2%3Aa/split"',
      'merged an error v2:a into <a href="groups/v2%3Ab">broken pipe</a>',
      'one outage',
    ])
      assert.ok(page.includes(words), words);
    assert.match(await get('events?q=fingerprint:v2:b'), /2 events</);
    assert.match(await get('activity'), /merged an error.*v2:a into .*broken pipe.*one outage/s);
    served().caller = viewer;
    assert.doesNotMatch(await get('groups/v2%3Ab'), /\/split|Split…/);
  });

  it('makes the merged one an error of its own again', async () => {
    assert.equal((await post('groups/v2%3Aa/split', { reason: 'two causes' })).status, 303);
    assert.match(await get('groups/v2%3Aa'), /split an error v2:a off <a[^>]*>broken pipe.*two causes/s);
  });
});
