import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';

describe('splitting an error in the console', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const get = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  const post = (path: string, fields: Record<string, string>) => sendForm(`${served().url}/${path}`, fields);
  const rule = { field: 'words', value: 'paypal' };
  const preview = `groups/v3%3Aa/split?${new URLSearchParams(rule)}`;
  before(async () => {
    await anEvent(database(), { fingerprint: 'v3:a', error_reason: 'declined by Visa' });
    await anEvent(database(), { fingerprint: 'v3:a', error_reason: 'declined by PayPal' });
    await get('groups');
  });
  beforeEach(() => {
    served().caller = operator;
  });

  it('shows both parts before, and changes nothing', async () => {
    const page = await get(preview);

    assert.match(
      page,
      /The new error: 1 event<.*declined by PayPal.*What stays: 1 event<.*declined by Visa/s,
    );
    assert.doesNotMatch(await get('groups'), /part%3A/);
  });

  it('says of how many events a preview of many is', async () => {
    await manyEvents(database(), 10_001, 'order.bulk');
    await database().sql("update dlq_events set fingerprint = 'v3:bulk' where event_type = 'order.bulk'");
    await refresh(database().db);
    const page = await get('groups/v3%3Abulk/split?field=words&value=paypal');
    assert.match(
      page,
      /What stays: 10,000 events among the latest 10,000<.*Nothing to split among the latest/s,
    );
    await database().sql("delete from dlq_events where event_type = 'order.bulk'");
  });

  it('offers no split of which one part would be empty', async () => {
    assert.match(await get('groups/v3%3Aa/split?field=words&value=declined'), /Nothing to split/);
  });

  it('is for operators', async () => {
    served().caller = viewer;
    assert.ok(!(await get('groups/v3%3Aa')).includes('/split'));
    assert.match(await get(preview), /You have the viewer role/);
    assert.equal((await post('groups/v3%3Aa/split', { ...rule, reason: 'x' })).status, 403);
  });

  it('asks for a reason, and keeps the form without one', async () => {
    const rejected = await post('groups/v3%3Aa/split', rule);

    assert.equal(rejected.status, 400);
    assert.match(await rejected.text(), /<code>reason<\/code> Give a reason.*The new error: 1 event/s);
  });

  it('makes two errors, and merging the new one back makes one', async () => {
    const split = await post('groups/v3%3Aa/split', { ...rule, reason: 'two banks' });
    const part = decodeURIComponent(split.headers.get('location')?.split('/').at(-1) ?? '');
    assert.match(part, /^part:[0-9a-f]{16}$/);
    assert.match(await get(`groups/${encodeURIComponent(part)}`), /declined by PayPal/);
    assert.match(
      await get('groups/v3%3Aa'),
      /split an error part:\w+ off <a[^>]*>declined by \w+<\/a> by words “paypal”.*two banks/s,
    );

    await post(`groups/${encodeURIComponent(part)}/merge`, { into: 'v3:a', reason: 'one bank' });
    assert.match(await get('events?q=fingerprint:v3:a'), /2 events</);
  });
});
