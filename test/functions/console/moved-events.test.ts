import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fingerprintReason } from '../../../shared/groups/fingerprint/fingerprint.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { failRetries, useFailures } from '../../support/failures.ts';

describe('the console, of an event that failed again for another reason,', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const fail = useFailures(database);
  const [first, latest] = [fingerprintReason('no answer'), fingerprintReason('HTTP 422: no total')];
  const groupAddress = (fingerprint: string) => `groups/${encodeURIComponent(fingerprint)}`;
  before(async () => {
    await fail('no answer');
    await failRetries(database(), 'HTTP 422: no total');
  });
  const open = async (path: string) => (await fetch(`${served().url}/${path}`)).text();

  it('shows the latest reason, and the first one with its error group', async () => {
    const [event] = await database().sql('select id from dlq_events');
    const page = await open(`events/${event?.id}`);

    assert.match(page, /HTTP 422: no total.*First failed with.*no answer/s);
    assert.match(page, new RegExp(`href="${groupAddress(first)}">another error`));
    assert.match(page, new RegExp(`href="${groupAddress(latest)}">All events with this error`));
  });

  it('shows on the page of the first error how many events have moved, and to which error', async () => {
    const page = await open(groupAddress(first));

    assert.match(page, /1 event failed first with this error, and later with another one/);
    assert.match(
      page,
      new RegExp(`href="${groupAddress(latest)}" title="HTTP 422: no total">.*?</a></span><span>1 event<`),
    );
    assert.doesNotMatch(page, /id="sample"/);
  });

  it('shows nothing of the kind on the page of the latest error', async () => {
    const page = await open(groupAddress(latest));

    assert.match(page, /id="sample"/);
    assert.doesNotMatch(page, /id="moved"/);
  });

  it('shows no first reason of an event that failed for one reason only', async () => {
    await fail('card declined');
    const [event] = await database().sql('select max(id) as id from dlq_events');

    assert.doesNotMatch(await open(`events/${event?.id}`), /First failed with/);
  });
});
