import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { exportEvents } from '../../../../shared/events/export-events.ts';
import { useApi } from '../../../support/api.ts';
import { useConsole } from '../../../support/console.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';
import { aRouteTo } from '../../../support/routes.ts';

describe('an export of events', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://shop/', { match: { eventType: 'secret' }, mask: ['$.email'] })];
  const api = useApi(database, { routes });
  const served = useConsole(database, { routes });
  const count = 1234;
  before(() =>
    database().sql(
      `insert into dlq_events (event_type, payload, error_reason, id_hashes)
       select 'order', jsonb_build_object('n', n), 'down', '' from generate_series(1, ${count}) n`,
    ),
  );
  const read = async (query: Record<string, string>) =>
    (await api().get<string>(`/events/export?${new URLSearchParams(query)}`)).body;

  it('has each event once, the newest first, as the API shows one', async () => {
    const events = (await read({ q: 'type:order' }))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ids = events.map(({ id }) => Number(id));

    assert.equal(new Set(ids).size, count);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    const { body } = await api().get<{ event: object }>(`/events/${ids[0]}`);
    assert.deepEqual(events[0], body.event);
  });

  it('reads large events one after another, not a page of them at once', async () => {
    for (let i = 0; i < 6; i++) {
      await anEvent(database(), { event_type: 'large', error_stacktrace: 'x'.repeat(1_500_000) });
    }
    const route = { db: database().db, routes, costLimit: 0 };
    const filter = { eventType: ['large'] };
    const chunks = exportEvents(route, { filter, isArchived: false, format: 'ndjson' });
    const lines: number[] = [];
    for await (const chunk of chunks) lines.push(chunk.trimEnd().split('\n').length);
    assert.deepEqual(lines, [2, 2, 2]);
  });

  it('takes a statement for some hundred events, by words too', async () => {
    let statements = 0;
    const { db } = database();
    const counting: typeof db = {
      ...db,
      query: (...args) => {
        statements++;
        return db.query(...args);
      },
    };
    let lines = 0;
    const deps = { db: counting, routes, costLimit: 0 };
    for await (const chunk of exportEvents(deps, {
      filter: { text: ['down'] },
      isArchived: false,
      format: 'ndjson',
    }))
      lines += chunk.trimEnd().split('\n').length;
    assert.equal(lines, count);
    assert.ok(statements <= 6, `${statements}`);
  });

  it('as CSV has a heading and one row for each event', async () => {
    const lines = (await read({ q: 'type:order', format: 'csv' })).trimEnd().split('\r\n');

    assert.match(lines[0] ?? '', /^id,eventType,status,priority,errorReason,/);
    assert.equal(lines.length, count + 1);
  });

  it('quotes the cells of CSV, and keeps a spreadsheet from running them', async () => {
    await anEvent(database(), {
      event_type: 'formula',
      error_reason: '=HYPERLINK("https://evil.example","a"), b',
      error_class: '@SUM(1)',
      source_key: '-1',
    });
    const [, line = ''] = (await read({ q: 'type:formula', format: 'csv' })).split('\r\n');

    assert.ok(line.includes(`"'=HYPERLINK(""https://evil.example"",""a""), b",'@SUM(1),`), line);
    assert.ok(line.includes(",'-1,"), line);
  });

  it('masks what the route of an event masks, in the console as well', async () => {
    const payload = '{"email": "ada@example.com"}';
    await anEvent(database(), { event_type: 'secret', payload, body: Buffer.from(payload) });
    const file = await fetch(`${served().url}/events/export?q=type:secret&format=ndjson`);

    for (const text of [await read({ q: 'type:secret' }), await file.text()]) {
      assert.match(text, /"email": ?"\(hidden\)"/);
      assert.doesNotMatch(text, /ada@|YWRhQ/);
    }
    assert.match(file.headers.get('content-disposition') ?? '', /events-.*\.ndjson/);
  });

  it('is offered with each list, as a file in both formats', async () => {
    const page = await (await fetch(`${served().url}/events?q=type:order+error:down`)).text();

    assert.match(page, /href="events\/export\?q=type%3Aorder\+error%3Adown&amp;format=csv" download/);
    assert.match(page, /format=ndjson" download/);
  });
});
