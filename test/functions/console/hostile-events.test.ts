import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { visibleText } from '../../../functions/console/html.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { type Tab, useBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { aRouteTo } from '../../support/routes.ts';
import { pickVariant, sample } from '../../support/sample.ts';

describe('console escaping', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/orders')] });
  const openTab = useBrowser();
  const ids: string[] = [];
  let tab: Tab;
  before(async () => {
    for (const text of hostileTexts) ids.push(await anEvent(database(), inEveryField(text)));
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_body, error)
       select id, 1, 'permanent', error_reason, now(), 1, error_reason, error_reason from dlq_events`,
    );
    await database().sql(
      `insert into dlq_audit (actor, action, reason, event_id) select error_reason, error_reason, error_reason, id from dlq_events`,
    );
    await refresh(database().db);
    await database().sql(
      'update dlq_error_groups set title = fingerprint, owner = fingerprint, note = fingerprint',
    );
    tab = await openTab();
  });

  for (const [index, text] of sample([...hostileTexts.entries()])) {
    it(`event fields are rendered as text: ${JSON.stringify(text)}`, async () => {
      for (const page of pickVariant(text, otherPages)) await assertOwnMarkup(page(text, ids[index] ?? ''));
      await assertOwnMarkup(`events/${ids[index]}`);
      const shown = await tab.page.locator('.reason').first().textContent();
      const expected = visibleText(text).replaceAll(/\s+/g, ' ').trim();
      assert.ok(shown?.replaceAll(/\s+/g, ' ').includes(expected), shown ?? 'nothing');
    });
  }

  it('event fields are rendered as text in every list', async () => {
    for (const path of [
      '',
      'groups?view=all',
      'events',
      'targets',
      'runs',
      'nowhere/<script>hacked=true</script>',
    ])
      await assertOwnMarkup(path);
  });

  /** Asserts that a page has only the console's own markup and ran no other script. */
  async function assertOwnMarkup(path: string): Promise<void> {
    await tab.page.goto(`${served().url}/${path}`);
    const strange = await tab.page.evaluate(findStrange);
    assert.deepEqual([strange, await tab.page.evaluate('window.hacked')], [[], undefined], path);
    assert.deepEqual(
      tab.browserErrors.filter((each) => !/status of 40[04]/.test(each)),
      [],
      path,
    );
  }
});

/** Other pages that show a part of an event or of the address. */
const otherPages: readonly ((text: string, id: string) => string)[] = [
  (text) => `groups/${encodeURIComponent(text)}`,
  (_, id) => `events/${id}/edit`,
  (text) => `events?q=${encodeURIComponent(text)}`,
  (text, id) => `runs/new?q=id:${id}&reason=${encodeURIComponent(text)}&rate=${encodeURIComponent(text)}`,
  (text, id) => `events/discard?q=id:${id}&reason=${encodeURIComponent(text)}`,
];

function inEveryField(text: string): Record<string, unknown> {
  const json = JSON.stringify({ [text]: text, list: [text] });
  return {
    event_type: text,
    payload: json,
    body: Buffer.from(json),
    content_type: text,
    headers: JSON.stringify({ [text]: text, list: [text] }),
    metadata: JSON.stringify({ [text]: text }),
    error_reason: text,
    error_class: text,
    error_stacktrace: `${text}\n    at ${text}\nCaused by: ${text}`,
    source_kind: text,
    source_topic: text,
    source_key: text,
    source_subscription: text,
    consumer_group: text,
    trace_id: text,
    event_id: text,
    event_key: text,
    fingerprint: text,
  };
}

/** Runs in the page: elements and attributes that no page of the console has. */
const findStrange = `(() => {
  const known = 'html head meta base title link script body a wbr header img span nav div form input svg path circle main h1 h2 h3 p section ' +
    'pre code b strong details summary table thead tbody tr th td dl dt dd ol ul li time button label select option textarea fieldset ' +
    'legend footer dialog kbd figure figcaption g rect line i datalist meter';
  const names = new Set(known.split(' '));
  return [...document.querySelectorAll('*')].flatMap((element) => {
    const attributes = [...element.attributes].filter(({ name }) => name.startsWith('on') || name === 'style' || name === 'srcdoc');
    const leads = [...element.attributes].filter(({ name, value }) =>
      ['href', 'src', 'action', 'formaction'].includes(name) && new URL(value, document.baseURI).origin !== location.origin);
    const isStrange = !names.has(element.localName) || attributes.length > 0 || leads.length > 0;
    const isScript = element.localName === 'script' && !/^assets\\/(console|lists)\\.\\w+\\.js$/.test(element.getAttribute('src') ?? '');
    return isStrange || isScript ? [element.outerHTML.slice(0, 200)] : [];
  });
})()`;
