import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aBridgeTarget } from '../../support/kafka-rest-delivery.ts';
import { aRoute } from '../../support/routes.ts';

describe('the console', () => {
  const database = useDatabase();
  const served = useConsole(database, {
    routes: [aRoute({ target: aBridgeTarget('strimzi', 'http://bridge') })],
  });
  const read = async (path: string) => {
    const text = await (await fetch(`${served().url}/${path}`)).text();
    return text.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', "'");
  };

  it('shows in a preview what the target does not take', async () => {
    const id = await anEvent(database(), { headers: JSON.stringify({ none: '' }) });

    assert.match(
      await read('runs/new?q=status:PENDING'),
      new RegExp(
        `1 event will be sent without a part\\. The header none is empty and is omitted: Strimzi's bridge rejects it\\. Such as event ${id}`,
      ),
    );
  });

  it('shows what was omitted from a delivered message', async () => {
    const id = await anEvent(database(), { status: 'SUCCEEDED' });
    await database().sql(
      `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status, error)
       values ($1, 1, 'delivered', 'http://bridge', now(), 1, 200, 'The header none is empty and is omitted.')`,
      [id],
    );

    assert.match(
      await read(`events/${id}`),
      /Delivered · HTTP 200 .*The header none is empty and is omitted\./s,
    );
  });
});
