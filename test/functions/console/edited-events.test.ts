import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Database } from '../../../shared/database/database.ts';
import { workOnReplay } from '../../../shared/replay/work-on-replay.ts';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('an edited event in the console', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const routes = [
    { ...aRouteTo('http://masked/', { match: { eventType: 'masked' } }), mask: ['$.card'] },
    aRouteTo('http://shop/'),
  ];
  let reads = 0;
  /** Counts the statements that read an event for a page. */
  const query: Database['query'] = (asked) => {
    if (asked.text.includes('as header_bytes')) reads += 1;
    return database().db.query(asked);
  };
  const served = useConsole(database, {
    routes,
    get db() {
      return { ...database().db, query };
    },
  });
  const get = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const deps = () => ({ db: database().db, routes: [aRouteTo(target().url)], retry: retryConfig() });
  const findEdit = async (of: string) => {
    const [edit] = await database().sql<{ id: string }>('select id from dlq_events where edited_from = $1', [
      of,
    ]);
    return edit?.id ?? '';
  };
  let id = '';
  let edit = '';
  before(async () => {
    id = await anEvent(database(), {
      body: Buffer.from('{"amount":"-12,50"}'),
      payload: '{"amount":"-12,50"}',
    });
    const run = await aRun(deps(), {
      filter: { ids: [id] },
      reason: 'wrong decimal comma',
      edit: { body: '{"amount":"12.50"}' },
    });
    await workOnReplay(deps(), run.id, { endsAt: Date.now() + 60_000 });
    edit = await findEdit(id);
  });
  beforeEach(() => {
    served().caller = operator;
  });

  it('has on its page and on that of the original who edited it and why, the difference, and a link', async () => {
    for (const [page, other] of [
      [id, edit],
      [edit, id],
    ]) {
      const text = await get(`events/${page}`);
      for (const words of [
        '<strong>ada</strong>',
        'wrong decimal comma',
        '-12,50',
        `href="events/${other}"`,
      ]) {
        assert.ok(text.includes(words), words);
      }
      assert.match(text, /class="frame removed".*-12,50.*class="frame added".*12\.50/s);
      const [, history = ''] = text.split('id="history"');
      assert.match(history, /<strong>ada<\/strong> edited/);
    }
  });

  it('offers its undo, on its page and in the activity, until it is sent', async () => {
    const original = await anEvent(database());
    const more = { edit: { headers: { colour: 'red' } }, reason: 'a header' };
    const run = await aRun(deps(), { filter: { ids: [original] }, ...more });
    const [entry] = await database().sql<{ id: string }>(
      "select max(id) as id from dlq_audit where action = 'edit'",
    );
    const undo = `href="activity/${entry?.id}/undo">Undo`;
    const pages = [`events/${original}`, `events/${await findEdit(original)}`, 'activity'];
    for (const page of pages) assert.ok((await get(page)).includes(undo), page);

    await workOnReplay(deps(), run.id, { endsAt: Date.now() + 60_000 });
    for (const page of pages) assert.ok(!(await get(page)).includes(undo), page);
  });

  it('leaves its original without an action that would send it again', async () => {
    const page = await get(`events/${id}`);
    assert.deepEqual([/Reopen…/.test(page), />succeeded|>discarded/.test(page)], [false, true]);
  });

  it('is read once for its page and its preview, and so is its original', async () => {
    reads = 0;
    await get(`events/${edit}`);
    assert.equal(reads, 2);
    reads = 0;
    await sendForm(`${served().url}/events/${edit}/edit`, { payload: '{"amount":"12.51"}', headers: '{}' });
    assert.equal(reads, 1);
  });

  it('is marked in the list, and so is its original', async () => {
    assert.match(await get(`events?q=id:${edit}`), /<span class="badge">edited<\/span>/);
    assert.match(await get(`events?q=id:${id}`), /<span class="badge">replaced<\/span>/);
  });

  it('is edited again from its own message', async () => {
    assert.match(await get(`events/${edit}/edit`), /&quot;amount&quot;: &quot;12\.50&quot;/);
  });

  it('shows no masked value before or after the edit', async () => {
    const masked = await anEvent(database(), {
      event_type: 'masked',
      body: Buffer.from('{"card":"4111","total":1}'),
      payload: '{"card":"4111","total":1}',
    });
    await aRun(deps(), { filter: { ids: [masked] }, edit: { body: '{"card":"4222","total":2}' } });
    for (const path of [`events/${masked}`, `events/${await findEdit(masked)}`]) {
      const page = await get(path);
      assert.deepEqual(
        [page.includes('4111'), page.includes('4222'), page.includes('hidden')],
        [false, false, true],
      );
      assert.match(page, /class="frame added"/);
    }
    const look = { command: 'unmask', reason: 'a look' };
    const { headers } = await sendForm(`${served().url}/events/${masked}`, look);
    const unmasked = await get(headers.get('location')?.slice(1) ?? '');
    const [difference = ''] = /The difference.*?<\/details>/s.exec(unmasked) ?? [];
    assert.deepEqual([unmasked.includes('4111'), /4111|4222/.test(difference)], [true, false]);
  });

  it('of a replay with a patch is said on the page of the run', async () => {
    await anEvent(database(), { event_type: 'patched' });
    const patch = [{ op: 'add', path: '/a', value: 1 }];
    const run = await aRun(deps(), { filter: { eventType: 'patched' }, patch });
    assert.match(
      await get(`runs/${run.id}`),
      /<strong>ada<\/strong> edited the messages by a patch: 0 of 1 done/,
    );
    const exact = '[{"op": "add", "path": "/a", "value": 12345678901234567891}]';
    await database().sql('update dlq_runs set patch = $1 where id = $2', [exact, run.id]);
    assert.match(await get(`runs/${run.id}`), /&quot;value&quot;: 12345678901234567891/);
  });

  describe('whose error others have, too', () => {
    const ofError = { fingerprint: 'v1:comma', event_type: 'order.comma' };
    const anOrder = (payload: string, more = {}) =>
      anEvent(database(), { ...ofError, payload, body: Buffer.from(payload), ...more });
    let first = '';
    let misfit = '';
    before(async () => {
      first = await anOrder('{"id":1,"currencyCode":"EUR"}');
      await anOrder('{"id":2,"currencyCode":"USD"}');
      misfit = await anOrder('{"id":3}');
      await anOrder('{"id":4,"card":1}', { event_type: 'masked' });
      const run = await aRun(deps(), {
        filter: { ids: [first] },
        reason: 'another name',
        edit: { body: '{"id":1,"currency":"EUR","limit":12345678901234567891}' },
      });
      await workOnReplay(deps(), run.id, { endsAt: Date.now() + 60_000 });
    });

    it('offers the same change for those that it fits, and names the others', async () => {
      const text = await get(`events/${await findEdit(first)}`);
      assert.match(text, /3 others fail for this reason\. The same change fits <b>1<\/b>/);
      assert.match(
        text,
        new RegExp(`href="events\\?q=id%3A${misfit}[^"]*">show the 2</a> that it does not fit .patch`),
      );
      assert.match(text, /<pre class="code">[^<]*&quot;value&quot;: 12345678901234567891/);
      assert.match(text, /Do the same to 1…/);
    });

    it('is no sample of the error once it is delivered, and not in its list, while others are open', async () => {
      const page = await get('groups/v1%3Acomma');
      const [, latest = ''] = page.split('Latest events that are left');
      assert.ok(latest.includes(`href="events/${misfit}"`));
      assert.ok(!latest.includes(`href="events/${await findEdit(first)}"`));
      const [, sample = ''] = page.split('id="sample"');
      const [, id] = /href="events\/(\d+)">event/.exec(sample) ?? [];
      const [event] = await database().sql('select is_open from dlq_events where id = $1', [id]);
      assert.deepEqual(event, { is_open: true });
    });

    it('leads to the preview of a replay with the patch', async () => {
      const text = await get(`events/${await findEdit(first)}`);
      const [, link = ''] =
        /class="button primary"[^>]* href="(runs\/new\?[^"]*patch[^"]*)"/.exec(text) ?? [];
      const preview = await get(link.replaceAll('&amp;', '&'));
      assert.match(preview, /Fits<\/span><span><b>1</);
      assert.match(preview, /Does not fit: will be skipped<\/span><span><b>2</);
    });

    it('offers the same for events with masked fields, unless the change touches one', async () => {
      const aCharge = async (card: number, payload = `{"card":${card},"euro":5}`) => {
        const more = { event_type: 'masked', fingerprint: 'v1:charge', payload, body: Buffer.from(payload) };
        return anEvent(database(), more);
      };
      const [renamed, retyped] = [await aCharge(4111), await aCharge(4222)];
      const added = await aCharge(0, '{"euro":5}');
      await aCharge(4333);
      const edits = {
        [renamed]: '{"card":4111,"amount":5}',
        [retyped]: '{"card":4223,"euro":5}',
        [added]: '{"euro":5,"card":4999}',
      };
      for (const [of, body] of Object.entries(edits))
        await aRun(deps(), { filter: { ids: [of] }, edit: { body } });
      const page = await get(`events/${await findEdit(renamed)}`);

      assert.match(page, /Do the same to \d…/);
      assert.doesNotMatch(page, /4111/);
      for (const other of [retyped, added])
        assert.doesNotMatch(await get(`events/${await findEdit(other)}`), /Do the same/);
    });

    it('offers no change that would compare values which another route masks', async () => {
      const payload = '{"card":4444,"euro":5}';
      const plain = await anOrder(payload, { fingerprint: 'v1:charge' });
      await aRun(deps(), { filter: { ids: [plain] }, edit: { body: '{"card":4333,"euro":5}' } });
      assert.doesNotMatch(await get(`events/${await findEdit(plain)}`), /The same for the others/);
    });

    it('offers nothing to a viewer', async () => {
      served().caller = viewer;
      assert.doesNotMatch(await get(`events/${await findEdit(first)}`), /Do the same/);
    });
  });
});
