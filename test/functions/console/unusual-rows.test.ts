import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the console shows an event that SQL stored', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const readPage = async (path: string) => {
    const answer = await fetch(`${served().url}/${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  beforeEach(() => database().clear());

  for (const column of ['occurred_at', 'created_at', 'retry_after', 'first_failure_at', 'updated_at']) {
    it(`with a time in ${column} that no date has`, async () => {
      const id = await anEvent(database(), { [column]: '-infinity' });
      for (const path of [`events/${id}`, 'events', ''])
        assert.equal((await readPage(path)).status, 200, path);
    });
  }

  it('with headers of any JSON', async () => {
    const id = await anEvent(database(), { headers: '{"a": null, "b": [1, [2]], "c": {"base64": 5}}' });
    const { status, text } = await readPage(`events/${id}`);
    assert.equal(status, 200);
    assert.match(text, /<code>\[2\]<\/code>/);
  });

  const json = '{"name": "Müller"}';
  for (const [name, body] of Object.entries({
    'compressed JSON': gzipSync(json),
    'JSON in Latin-1': Buffer.from(json, 'latin1'),
    'JSON in UTF-16': Buffer.from(json, 'utf16le'),
  }))
    it(`with ${name} as the text that it is`, async () => {
      const id = await anEvent(database(), { body, payload: json });
      const { text } = await readPage(`events/${id}`);
      assert.match(text, /<b class="busy">&quot;name&quot;<\/b>: <b>&quot;Müller&quot;<\/b>/);
    });

  it('with a text in another charset as the text that it is', async () => {
    const [body, payload] = [Buffer.from('größer\n', 'latin1'), JSON.stringify('größer\n')];
    const id = await anEvent(database(), { body, payload, payload_encoding: 'text' });
    assert.match((await readPage(`events/${id}`)).text, /größer\n/);
    assert.deepEqual(
      Buffer.from(await (await fetch(`${served().url}/events/${id}/body`)).arrayBuffer()),
      body,
    );
  });

  it('with a publication whose position has a percent sign', async () => {
    const id = await anEvent(database());
    await database().sql(
      `insert into dlq_captures (event_id, failure, is_first, publication, facts) values ($1, 2, true, '@50%off/0/7', '{}')`,
      [id],
    );
    const { status, text } = await readPage(`events/${id}`);
    assert.equal(status, 200);
    assert.match(text, /of the publication at 50%off\/0\/7/);
  });
});
