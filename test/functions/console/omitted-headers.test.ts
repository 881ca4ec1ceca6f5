import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

const headers = {
  'x-shopify-topic': 'orders/create',
  'x-session-token': 's3cret',
  'x-authenticated-user': 'eve',
  'x-death': 'rejected',
  'dlo-event-type': 'order.created',
};

describe('a header that a redelivery omits is named', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const read = async (path: string) => {
    const text = await (await fetch(`${served().url}/${path}`)).text();
    return text.replaceAll(/<svg.*?<\/svg>|<[^>]+>/gs, ' ').replaceAll(/\s+/g, ' ');
  };
  before(async () => {
    const body = Buffer.from('{"orderId": 1}');
    const captures = readCaptures({ path: '/', query: new URLSearchParams(), headers, body });
    await storeCaptures({ db: database().db, repeatSeconds: 600 }, captures);
  });
  const withheld = /The header x-authenticated-user is omitted: it can state who calls/;

  it('on the page of the event, with those that are not stored', async () => {
    const page = await read('events/1');

    assert.match(page, /x-session-token not stored: it is a credential/);
    assert.match(page, /A redelivery omits what is about the failure: x-death/);
    assert.match(page, withheld);
    assert.match(page, /x-shopify-topic orders\/create/);
    assert.doesNotMatch(page, /s3cret/);
  });

  it('in the preview of a replay', async () => {
    assert.match(await read('runs/new?q=id:1'), withheld);
  });

  it('in the attempt', async () => {
    const routes = [aRouteTo(target().url)];
    await runTick({ db: database().db, routes, retry: retryConfig() });

    assert.deepEqual(
      Object.keys(target().received[0]?.headers ?? {}).filter((name) => /^x-/.test(name)),
      ['x-shopify-topic'],
    );
    assert.match(await read('events/1'), new RegExp(`Delivered · .*${withheld.source}`));
  });
});
