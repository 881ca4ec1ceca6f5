import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../support/browser.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

const secret = 'cleo@customer.example';
const token = 'Bearer 12345';

describe('what a route masks', () => {
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
    const response = await page.goto(`${served().url}/${path}`);
    return { status: response?.status(), html: await page.content() };
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
  const reveal = async (reason: string) => {
    await open(`events/${id}`);
    await page.getByLabel('Why you need to see it').fill(reason);
    await page.getByRole('button', { name: /^Reveal/ }).click();
    await page.waitForURL(/reveal=/);
  };

  it('is hidden in every view, and the rest is as it was', async () => {
    for (const view of ['pretty', 'raw', 'hex']) assertHidden(await open(`events/${id}?view=${view}`));
    const { html } = await open(`events/${id}`);

    assert.ok(html.includes('12345678901234567890') && html.includes('Ada') && html.includes('acme'));
  });

  it('is in no other page, download or form', async () => {
    for (const path of [
      `events/${id}/body`,
      `events/${id}/edit`,
      'events',
      `runs/new?q=id:${id}`,
      `runs/new?q=id:${id}&patch=[{"op":"copy","from":"/customer/email","path":"/note"}]`,
      `events/discard?q=id:${id}`,
    ]) {
      const response = await fetch(`${served().url}/${path}`);
      assertHidden({ html: await response.text() });
    }
    const edit = { csrf: 'token', act: 'preview', q: `id:${id}`, edit: '{"body": "{}"}' };
    const response = await fetch(`${served().url}/runs`, {
      method: 'POST',
      body: new URLSearchParams(edit),
      headers: { 'sec-fetch-site': 'same-origin', cookie: 'dlo-csrf=token' },
    });
    assert.equal(response.status, 403);
    assertHidden({ html: await response.text() });
  });

  it('is revealed to an operator who says why, and that is recorded', async () => {
    await reveal('the customer asked');

    assert.ok((await page.content()).includes(secret));
    await page.getByRole('link', { name: 'Raw' }).click();
    await page.waitForURL(/view=raw/);
    assert.ok((await page.content()).includes(secret));
    const acts = await database().sql('select actor, act, reason, event_id from dlq_audit');
    assert.deepEqual(acts, [
      { actor: operator.name, act: 'reveal', reason: 'the customer asked', event_id: id },
    ]);
    assert.match(
      (await page.locator('.timeline').textContent()) ?? '',
      /looked at what is hidden.*the customer asked/s,
    );
  });

  it('is not revealed by the address that another person was given, nor a quarter of an hour later', async () => {
    await reveal('to see');
    // Without its fragment, as a browser would only scroll to that.
    const revealed =
      page
        .url()
        .slice(served().url.length + 1)
        .split('#')[0] ?? '';
    for (const caller of [viewer, { ...operator, name: 'eve@example.com' }]) {
      served().caller = caller;
      assertHidden(await open(revealed));
    }
    served().caller = operator;
    assert.ok((await open(revealed)).html.includes(secret));
    await database().sql("update dlq_audit set at = at - interval '16 minutes'");

    assertHidden(await open(revealed));
  });

  it('stays hidden to a viewer', async () => {
    served().caller = viewer;

    assertHidden(await open(`events/${id}`));
    assert.equal(await page.getByRole('button', { name: /^Reveal/ }).count(), 0);
  });

  for (const [what, columns] of [
    ['text', { body: Buffer.from(`mail to ${secret}`), payload: '"x"', payload_encoding: 'text' }],
    [
      'binary',
      { body: Buffer.from([0, ...Buffer.from(secret)]), payload: '"x"', payload_encoding: 'base64' },
    ],
    [
      'more than is read',
      {
        body: Buffer.from(`{"customer": {"email": "${secret}"}, "x": "${'x'.repeat(300_000)}"}`),
        payload: '{}',
      },
    ],
  ] as const) {
    it(`takes the whole payload with it where that is ${what}`, async () => {
      const other = await anEvent(database(), columns);

      assertHidden(await open(`events/${other}`));
      assertHidden(await open(`events/${other}?view=hex`));
    });
  }
});
