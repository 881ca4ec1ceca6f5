import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { runTick } from '../../../shared/schedule/run-tick.ts';
import { aCapture } from '../../support/captures.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('the page of an event that was captured several times', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const masked = aRouteTo('http://shop/', {
    match: { eventType: 'secret' },
    mask: ['$.card', 'headers.x-token'],
  });
  const served = useConsole(database, { routes: [masked, aRouteTo('http://shop.example')] });
  const open = async (id: string) => {
    const text = await (await fetch(`${served().url}/events/${id}`)).text();
    // Without markup, as it is read.
    return text.replaceAll(/<svg.*?<\/svg>|<[^>]+>/gs, ' ').replaceAll(/\s+/g, ' ');
  };
  const capture = async (facts: Parameters<typeof aCapture>[0]) => {
    const context = { db: database().db, repeatSeconds: 600 };
    const [stored] = await storeCaptures(context, [aCapture({ consumerGroup: 'billing', ...facts })]);
    return stored?.id ?? '';
  };
  let page = '';
  before(async () => {
    const report = { origin: 'report', errorReason: 'no total', errorClass: 'InvalidOrder' } as const;
    const id = await capture({ ...report, deliveryId: 'm1' });
    await capture({ origin: 'report', deliveryId: 'm2' });
    target().answer = (_, response) => response.end();
    await runTick({ db: database().db, retry: retryConfig(), routes: [aRouteTo(target().url)] });
    const redelivery = target().received[0]?.headers['dlo-event-id'];
    const sent = { redelivery: String(redelivery), attempt: 1 };
    await capture({
      ...report,
      ...sent,
      deliveryId: 'm3',
      errorReason: 'no stock',
      errorClass: 'OutOfStock',
    });
    const headers = { 'x-tenant': 'acme' };
    await capture({ ...sent, deliveryId: 'm4', headers, body: Buffer.from('{"orderId": 2}') });
    page = await open(id);
  });

  it('shows them in order, by the failure that they tell, with who said so', () => {
    const order = [
      ...['Captures', 'Failure 1', 'Captured from test', 'Report of billing, the same failure'],
      ...['Original , replaced at this time', 'Failure 2 of delivery 1', 'Report of billing'],
      'Message of billing, the same failure',
    ];
    assert.match(page, new RegExp(order.join('.*')));
  });

  it('shows the latest reason as the error, and what others said beside them', () => {
    assert.match(page, /Error .*OutOfStock : no stock .*Captures/);
    assert.match(page, /Original.*InvalidOrder : no total/);
  });

  it('shows what else a capture said otherwise: headers and bytes', () => {
    assert.match(page, /header x-tenant +header x-tenant +acme/);
    assert.match(page, /Other bytes, 14 B \{&quot;orderId&quot;: 2\}/);
  });

  it('hides what the route of the event masks', async () => {
    const id = await anEvent(database(), { event_type: 'secret' });
    await database().sql(
      `insert into dlq_captures (event_id, failure, is_report, facts, body) values ($1, 1, true, $2, $3)`,
      [id, { headers: { 'x-token': 'T0KEN', 'x-tenant': 'acme' } }, Buffer.from('{"card": "4111"}')],
    );
    const text = await open(id);

    assert.doesNotMatch(text, /T0KEN|4111/);
    assert.match(text, /x-token \(hidden\).*x-tenant acme.*Other bytes: \(hidden\)/);
  });

  it('has no section of captures if there is only the first', async () => {
    assert.doesNotMatch(await open(await anEvent(database())), /Captures/);
  });
});
