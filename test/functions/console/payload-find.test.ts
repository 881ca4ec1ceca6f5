import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { findInPayload } from '../../../functions/console/events/payload-find.ts';
import { payloadTree, printPath } from '../../../functions/console/events/payload-tree.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('finding in a payload', () => {
  it('finds names and values of JSON in upper or lower case, with their paths', () => {
    const text = '{"lines":[{"sku":"A"},{"sku":"Kilim","KILIM":12345678901234567890}]}';
    assert.deepEqual(findInPayload(text, 'kilim', true).shown, [
      { where: '$.lines[1].sku', text: 'Kilim' },
      { where: '$.lines[1].KILIM', text: 'KILIM' },
    ]);
    assert.deepEqual(findInPayload(text, '90123', true).shown, [
      { where: '$.lines[1].KILIM', text: '12345678901234567890' },
    ]);
  });

  it('finds lines of text, and counts all of them', () => {
    const text = `first\n${'again\n'.repeat(50)}`;
    const { count, shown } = findInPayload(text, 'AGAIN', false);
    assert.deepEqual([count, shown.length, shown[0]?.where], [50, 20, 'line 2']);
  });

  it('prints paths as masks have them, and other names in quotes', () => {
    assert.equal(printPath(['a', 3, 'b c', 'größe']), '$.a[3]["b c"].größe');
  });

  it('finds nothing and shows no tree beyond a depth that would take the stack', () => {
    const deep = '['.repeat(20_000);
    assert.equal(findInPayload(deep, 'x', true).count, 0);
    assert.equal(payloadTree(deep), undefined);
  });

  it('the tree keeps every digit, and is bounded', () => {
    assert.match(String(payloadTree('{"n":1.50}')), /<b class="value">1\.50<\/b>/);
    const wide = String(payloadTree(`{"rows":[${'[1,2],'.repeat(5000)}1]}`));
    assert.match(wide, /4,901 more: find them, or download the payload/);
    assert.ok(wide.length < 400_000, `${wide.length} characters`);
  });
});

describe('the payload of an event', () => {
  const database = useDatabase();
  const served = useConsole(database, {
    routes: [
      aRouteTo('http://shop.example', { match: { eventType: 'masked' }, mask: ['$.card'] }),
      aRouteTo('http://shop.example'),
    ],
  });
  let [large, masked] = ['', ''];
  const show = async (id: string, query: string) =>
    (await fetch(`${served().url}/events/${id}?${query}`)).text();
  before(async () => {
    const payload = JSON.stringify({ fill: 'x'.repeat(400_000), order: { id: 'ORD-77' } });
    large = await anEvent(database(), { payload, body: Buffer.from(payload) });
    const secret = '{"card":"4111","name":"bob"}';
    masked = await anEvent(database(), { event_type: 'masked', payload: secret, body: Buffer.from(secret) });
  });

  it('is searched beyond the part that the page shows', async () => {
    assert.match(await show(large, 'find=ord-77'), /<code>\$\.order\.id<\/code>.*<mark>ORD-77<\/mark>/s);
    assert.match(await show(large, 'find=nowhere'), /Not found</);
  });

  it('is not searched where it is masked', async () => {
    assert.match(await show(masked, 'find=4111'), /Not found</);
    assert.match(await show(masked, 'find=bob&view=tree'), /Found 1 time.*class="code tree"/s);
  });
});
