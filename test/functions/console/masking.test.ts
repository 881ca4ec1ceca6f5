import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { clickThrough, useBrowser } from '../../support/browser.ts';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

const secret = 'cleo@customer.example';
const token = 'Bearer 12345';

describe('console masking', () => {
  const database = useDatabase();
  const mask = ['$.customer.email', 'headers.X-Token'];
  const served = useConsole(database, { routes: [aRouteTo('http://shop/', { mask })] });
  const openTab = useBrowser();
  let page: Page;
  let id = '';
  before(async () => {
    ({ page } = await openTab());
    const body = `{"id": 12345678901234567890, "customer": {"email": "${secret}", "name": "Ada"}}`;
    const headers = JSON.stringify({ 'x-token': token, tenant: 'acme' });
    id = await anEvent(database(), { body: Buffer.from(body), payload: body, headers });
  });
  beforeEach(() => {
    served().caller = operator;
  });
  const open = async (path: string) => {
    const response = await fetch(`${served().url}/${path}`);
    return { html: await response.text() };
  };
  const assertHidden = ({ html }: { html: string }) => {
    for (const each of [
      secret,
      token,
      Buffer.from(secret).toString('hex').replaceAll(/(..)/g, '$1 ').slice(0, 20),
    ]) {
      assert.equal(html.includes(each), false, each);
    }
  };
  const unmask = async (reason: string) => {
    await page.goto(`${served().url}/events/${id}`);
    await page.getByLabel('Reason, for the audit log').fill(reason);
    await page.getByRole('button', { name: /^Unmask/ }).click();
    await page.waitForURL(/unmask=/);
  };

  it('masked fields are hidden, other fields are shown', async () => {
    const page = await open(`events/${id}`);
    assertHidden(page);
    const { html } = page;

    assert.ok(html.includes('12345678901234567890') && html.includes('Ada') && html.includes('acme'));
    assert.ok(!html.includes(`events/${id}/edit`));
  });

  it('a payload that is masked as a whole still has its size', async () => {
    const body = Buffer.from([0, 1, 2, 255]);
    const binary = await anEvent(database(), { body, payload: '"AAEC"', payload_encoding: 'base64' });
    const { html } = await open(`events/${binary}`);
    assert.match(html, /no content type · 4 B</);
  });

  it('an unmask without a reason is answered by the page of the event', async () => {
    const sent = await sendForm(`${served().url}/events/${id}`, { command: 'unmask', reason: ' ' });
    const html = await sent.text();
    assert.match(html, /<code>reason<\/code> Give a reason.*>Unmask for 15 minutes</s);
    assertHidden({ html });
  });

  it('masked fields are in no other page, download or form', async () => {
    for (const path of [
      `events/${id}/body`,
      `events/${id}/edit`,
      'events',
      `runs/new?q=id:${id}`,
      `runs/new?q=id:${id}&patch=[{"op":"copy","from":"/customer/email","path":"/note"}]`,
      `events/discard?q=id:${id}`,
    ]) {
      assertHidden(await open(path));
    }
    assert.match((await open(`events/${id}/edit`)).html, /Unmask it before you edit it\./);
    const late = await sendForm(`${served().url}/events/${id}/edit`, { payload: '{}', headers: '{}' });
    assert.equal(late.status, 403);
    assertHidden({ html: await late.text() });
    const edit = { action: 'preview', q: `id:${id}`, edit: '{"body": "{}"}' };
    const response = await sendForm(`${served().url}/runs/new`, edit);
    assert.equal(response.status, 403);
    assertHidden({ html: await response.text() });
  });

  it('an operator unmasks an event with a recorded reason', async () => {
    await unmask('the customer asked');

    assert.ok((await page.content()).includes(secret));
    const actions = await database().sql('select actor, action, reason, event_id from dlq_audit');
    assert.deepEqual(actions, [
      { actor: operator.name, action: 'unmask', reason: 'the customer asked', event_id: id },
    ]);
    assert.match((await page.locator('.timeline').textContent()) ?? '', /unmasked.*the customer asked/s);
  });

  it('the address of an unmasked event works only for the operator who unmasked it, and for 15 minutes', async () => {
    await unmask('to see');
    // Without its fragment: a browser would only scroll to it.
    const unmasked =
      page
        .url()
        .slice(served().url.length + 1)
        .split('#')[0] ?? '';
    for (const caller of [
      viewer,
      { ...operator, name: 'eve@example.com' },
      { ...operator, isOperator: false },
    ]) {
      served().caller = caller;
      assertHidden(await open(unmasked));
    }
    served().caller = operator;
    assert.ok((await open(unmasked)).html.includes(secret));
    await database().sql("update dlq_audit set at = at - interval '16 minutes'");

    assertHidden(await open(unmasked));
  });

  it('an event without a masked field needs no unmasking, and its other captures stay masked', async () => {
    const plain = await anEvent(database(), { payload: '{"customer": {"name": "Ada"}}' });
    await database().sql(
      `insert into dlq_captures (event_id, failure, is_report, facts, body) values ($1, 1, true, '{}', $2)`,
      [plain, Buffer.from(`{"customer": {"email": "${secret}"}}`)],
    );
    const shown = await open(`events/${plain}`);

    assertHidden(shown);
    assert.doesNotMatch(shown.html, /Unmask for|>Download</);
    assert.match(shown.html, new RegExp(`href="events/${plain}/edit"`));
    assert.match((await open(`events/${plain}/edit`)).html, /<h1>Edit and replay order\.created/);
  });

  it('an event without a masked field is not recorded as unmasked', async () => {
    const plain = await anEvent(database(), { payload: '{"customer": {"name": "Ada"}}' });
    const { headers } = await sendForm(`${served().url}/events/${plain}`, {
      command: 'unmask',
      reason: 'curious',
    });

    assert.equal(headers.get('location'), `/events/${plain}`);
    const recorded = await database().sql('select from dlq_audit where event_id = $1', [plain]);
    assert.deepEqual(recorded, []);
  });

  it('masked fields stay hidden from a viewer', async () => {
    served().caller = viewer;

    const shown = await open(`events/${id}`);
    assertHidden(shown);
    assert.doesNotMatch(shown.html, /Unmask for/);
    const guess = new URLSearchParams({ q: `payload:{"customer":{"email":"${secret}"}}`, format: 'csv' });
    assert.equal((await fetch(`${served().url}/events/export?${guess}`)).status, 403);
  });

  it('masked fields are in no filter or patch that an operator wrote before, on any page', async () => {
    const filter = { payload: { customer: { email: secret } } };
    const patch = JSON.stringify([{ op: 'replace', path: '/customer/email', value: secret }]);
    const routes = [aRouteTo('http://shop/')];
    const run = await aRun({ db: database().db, routes }, { filter, patch: JSON.parse(patch) });
    await database().sql(
      `insert into dlq_audit (actor, action, reason, details) values ('ann', 'discard', 'x', $1)`,
      [{ filter }],
    );
    await database().sql(`update dlq_runs set ended_at = now(), stopped = 'cancelled' where id = $1`, [
      run.id,
    ]);

    for (const path of ['runs', `runs/${run.id}`, 'activity', `events/${id}`, ''])
      assertHidden(await open(path));
  });

  for (const [what, columns] of [
    ['text', { body: Buffer.from(`mail to ${secret}`), payload: '"x"', payload_encoding: 'text' }],
    [
      'binary',
      { body: Buffer.from([0, ...Buffer.from(secret)]), payload: '"x"', payload_encoding: 'base64' },
    ],
    [
      'larger than the page reads',
      {
        body: Buffer.from(`{"customer": {"email": "${secret}"}, "x": "${'x'.repeat(300_000)}"}`),
        payload: '{}',
      },
    ],
  ] as const) {
    it(`a payload that cannot be masked by path is masked as a whole: ${what}`, async () => {
      const other = await anEvent(database(), columns);

      assertHidden(await open(`events/${other}`));
    });
  }

  it('an unmasked event that needs a decision has one link to its edit, which opens it', async () => {
    const payload = `{"customer": {"email": "${secret}"}}`;
    const failed = await anEvent(database(), { payload, status: 'FAILED_PERMANENTLY' });
    const fields = { command: 'unmask', reason: 'a wrong address' };
    const { headers } = await sendForm(`${served().url}/events/${failed}`, fields);
    const { html } = await open(headers.get('location')?.slice(1) ?? '');
    const [first = '', ...others] = [...html.matchAll(/href="([^"]*)">Edit and replay/g)].map(([, to]) => to);

    assert.deepEqual(others, []);
    assert.match((await open(first)).html, /<h1>Edit and replay order\.created/);
  });

  it('an edit outlives an unmasking that ends while it is typed', async () => {
    await unmask('a wrong name');
    await clickThrough(page.getByRole('link', { name: 'Edit and replay' }));
    const payload = page.locator('textarea[name=payload]');
    const typed = '{"customer": {"email": "new@customer.example", "name": "Eve"}}';
    await payload.fill(typed);
    const end = () => database().sql("update dlq_audit set at = at - interval '16 minutes'");
    await end();
    await clickThrough(page.getByRole('button', { name: 'Preview' }));
    const ended = page.getByText('The unmasking has ended');
    assert.match(await ended.innerText(), /The edit is kept/);
    assert.equal(await payload.inputValue(), typed);
    assert.ok(!(await page.content()).includes(secret));

    const again = () =>
      sendForm(`${served().url}/events/${id}`, { command: 'unmask', reason: 'still a wrong name' });
    await again();
    await clickThrough(page.getByRole('button', { name: 'Preview' }));
    const difference = async () => (await page.locator('main').innerText()).includes(`"${secret}"`);
    assert.ok(await difference());

    await end();
    await clickThrough(page.getByRole('button', { name: 'Preview again' }));
    assert.match(await ended.innerText(), /The edit is kept/);
    assert.ok(!(await difference()));
    await again();
    await clickThrough(page.getByRole('button', { name: 'Preview again' }));
    assert.ok(await difference());
    await page.getByLabel('Reason, for the audit log').fill('a wrong name');
    await clickThrough(page.getByRole('button', { name: 'Replay 1 event' }));
    const [edit] = await database().sql('select body from dlq_events where edited_from = $1', [id]);
    assert.equal(String(edit?.body), typed);
  });
});
