import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { sayShare } from '../../../functions/console/groups/group-page.ts';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('the list of errors as a worklist', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const open = (path: string) => fetch(`${served().url}/${path}`);
  const titles = async (query: string) =>
    [...(await (await open(`groups?${query}`)).text()).matchAll(/name="fingerprint" value="v2:(\w)"/g)]
      .map(([, name]) => name)
      .sort()
      .join('');
  const send = async (fields: readonly (readonly [string, string])[]) => {
    const response = await sendForm(`${served().url}/groups`, fields);
    const [to, notice] = ['location', 'set-cookie'].map((name) => {
      return decodeURIComponent(response.headers.get(name) ?? '');
    });
    return { status: response.status, to: to ?? '', notice: notice ?? '' };
  };
  const selected = [
    ['fingerprint', 'v2:a'],
    ['fingerprint', 'v2:b'],
  ] as const;
  before(async () => {
    await anEvent(database(), {
      fingerprint: 'v2:a',
      error_reason: 'connection RESET by peer',
      event_type: 'order.placed',
    });
    await anEvent(database(), {
      fingerprint: 'v2:b',
      error_reason: 'broken pipe',
      event_type: 'invoice.sent',
    });
    await anEvent(database(), { fingerprint: 'v2:c', error_reason: 'no stock', event_type: 'order.placed' });
    await open('groups');
  });
  beforeEach(async () => {
    served().caller = operator;
    await database().sql(`update dlq_error_groups set state = 'OPEN', owner = null, muted_until = null`);
  });

  it('finds errors by words of the reason and of the event type, in upper or lower case', async () => {
    assert.equal(await titles('q=reset'), 'a');
    assert.equal(await titles('q=Order'), 'ac');
    assert.equal(await titles('q=order+stock'), 'c');
    assert.match(await (await open('groups?q=nothing')).text(), /No error matches/);
  });

  it('finds the errors of the reader, and those without an owner', async () => {
    await database().sql(`update dlq_error_groups set owner = $1 where fingerprint = 'v2:b'`, [
      operator.name,
    ]);

    assert.equal(await titles('owner=mine'), 'b');
    assert.equal(await titles('owner=none'), 'ac');
  });

  it('sorts the errors by each column', async () => {
    const inOrder = async (order: string) =>
      [
        ...(await (await open(`groups?order=${order}`)).text()).matchAll(
          /name="fingerprint" value="v2:(\w)"/g,
        ),
      ]
        .map(([, name]) => name)
        .join('');
    const permanent = { status: 'FAILED_PERMANENTLY', processed_at: new Date() } as const;
    await anEvent(database(), { fingerprint: 'v2:b', error_reason: 'broken pipe', ...permanent });
    await anEvent(database(), { fingerprint: 'v2:b', error_reason: 'broken pipe', ...permanent });
    await anEvent(database(), { fingerprint: 'v2:c', error_reason: 'no stock', event_type: 'order.placed' });
    await open('groups');
    await database().sql(
      `update dlq_error_groups set first_seen_at = now() - position(right(fingerprint, 1) in 'cab') * interval '1 minute'`,
    );

    assert.equal(await inOrder('open'), 'cba');
    assert.equal((await inOrder('permanent')).at(0), 'b');
    assert.equal(await inOrder('failures'), 'bca');
    assert.equal(await inOrder('first'), 'cab');
    assert.match(await (await open('groups?order=open')).text(), /<option value="open" selected>Open/);
  });

  it('changes all selected errors, each with the reason in the audit, unless they are so already', async () => {
    const acknowledge = [...selected, ['command', 'ACKNOWLEDGED'], ['reason', 'deploying a repair']] as const;
    assert.match((await send(acknowledge)).notice, /2 errors are now acknowledged\./);
    assert.match((await send(acknowledge)).notice, /Nothing was changed\./);

    const rows = await database().sql(`
      select fingerprint, state, reason from dlq_error_groups
      join dlq_audit on details ->> 'fingerprint' = fingerprint and action = 'change group'
      order by fingerprint`);
    const changed = { state: 'ACKNOWLEDGED', reason: 'deploying a repair' };
    assert.deepEqual(rows, [
      { fingerprint: 'v2:a', ...changed },
      { fingerprint: 'v2:b', ...changed },
    ]);
  });

  it('mutes the selected errors for a time', async () => {
    await send([...selected, ['command', 'MUTED'], ['mute', '1h']]);
    assert.equal(await titles('view=muted'), 'ab');
  });

  it('gives the selected errors to an owner', async () => {
    await send([...selected, ['command', 'owner'], ['owner', operator.name]]);
    assert.equal(await titles('owner=mine'), 'ab');
  });

  it('leads to the preview of a replay of the selected errors', async () => {
    const { to } = await send([...selected, ['command', 'replay']]);
    assert.match(to, /runs\/new\?q=fingerprint:v2:a,v2:b\+status:PENDING,FAILED_PERMANENTLY$/);
  });

  it('leads back to the list it came from if no error is selected, and nowhere else', async () => {
    const back = await send([
      ['command', 'RESOLVED'],
      ['back', 'groups?q=order'],
    ]);
    assert.match(back.to, /groups\?q=order$/);
    const elsewhere = await send([
      ['command', 'RESOLVED'],
      ['back', '//evil.example/'],
    ]);
    assert.match(elsewhere.to, /^\/?groups$|127\.0\.0\.1:\d+\/groups$/);
  });

  it('shows viewers no actions', async () => {
    served().caller = viewer;
    const page = await (await open('groups')).text();
    assert.ok(page.includes('no stock') && !page.includes('method="post"'));
  });
});

describe('a share of a sample', () => {
  it('is a number of percent only if some have the value and some have not', () => {
    assert.deepEqual([0, 0.001, 0.25, 0.999, 1].map(sayShare), ['none', '< 1 %', '25 %', '> 99 %', 'all']);
  });
});
