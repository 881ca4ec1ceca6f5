import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useApi } from '../support/api.ts';
import { useConsole } from '../support/console.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { aRouteTo } from '../support/routes.ts';

describe('an event with headers of more than 1 MiB', () => {
  const database = useDatabase();
  const routes = [aRouteTo('http://shop/', { mask: ['headers.tenant'] })];
  const api = useApi(database, { routes });
  const served = useConsole(database, { routes });
  let id = '';
  before(async () => {
    const headers = JSON.stringify({ tenant: 'acme', note: 'x'.repeat(1_100_000) });
    id = await anEvent(database(), { headers, error_reason: 'y'.repeat(1_100_000) });
  });

  it('is shown and exported without them by the API, with its reason cut off', async () => {
    const { body } = await api().get<{ event: { headers: unknown; errorReason: string } }>(`/events/${id}`);
    const file = (await api().get<string>('/events/export')).body;
    assert.equal(body.event.headers, null);
    assert.equal(body.event.errorReason.length, 1_048_576);
    assert.deepEqual(JSON.parse(file), body.event);
  });

  it('has a page that says how large they are, and no form to edit it', async () => {
    const page = await (await fetch(`${served().url}/events/${id}`)).text();
    assert.match(page, /1\.\d MB: too large for a page/);
    assert.ok(page.length < 500_000, `${page.length} characters`);
  });
});
