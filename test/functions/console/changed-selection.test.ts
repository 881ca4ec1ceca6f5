import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operator, sendForm, useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('a replay whose events others have changed since its preview', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://shop/')] });
  const readForm = (page: string) => ({
    ...Object.fromEntries(
      [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')],
      ),
    ),
    reason: 'again',
    command: 'create',
  });

  it('is previewed again, with what changed, and starts only then', async () => {
    served().caller = operator;
    const ids = [await anEvent(database()), await anEvent(database()), await anEvent(database())];
    const first = await (await fetch(`${served().url}/runs/new?q=type:order.created`)).text();
    await database().sql(`update dlq_events set status = 'DISCARDED', processed_at = now() where id = $1`, [
      ids[0],
    ]);
    // Captured since the preview: no part of it, also when it is previewed again.
    await anEvent(database());
    const changed = await sendForm(`${served().url}/runs/new`, readForm(first));
    const second = await changed.text();

    assert.equal(
      changed.status,
      409,
      `${changed.headers.get('location')} ${JSON.stringify(readForm(first))}`,
    );
    assert.match(
      second.replaceAll(/<[^>]+>/g, ''),
      /no longer that of the preview, which had 3 events\. Nothing was changed.*Replay 2 events.*Excluded\s*It was discarded: only .* selects it\.1/s,
    );
    assert.deepEqual(await database().sql('select from dlq_runs'), []);
    await sendForm(`${served().url}/runs/new`, readForm(second));
    assert.deepEqual(await database().sql('select selected from dlq_runs'), [{ selected: 2 }]);
  });

  it('offers no button if nothing is left of it', async () => {
    const page = await (await fetch(`${served().url}/runs/new?q=id:999`)).text();
    assert.match(page, /Nothing to replay/);
    assert.doesNotMatch(page, /value="create"/);
  });
});
