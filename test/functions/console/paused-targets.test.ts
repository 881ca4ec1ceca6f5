import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

describe('the overview of what needs a person', () => {
  const database = useDatabase();
  const served = useConsole(database, { routes: [aRouteTo('http://mail/')] });
  const read = async (path = '') => (await fetch(`${served().url}/${path}`)).text();

  it('names a target that asked for a pause of more than an hour, and the page of runs any', async () => {
    const headlines = { '20 minutes': /Nothing needs you/, '1 day': /^1 target asked for a pause$/ };
    for (const [pause, headline] of Object.entries(headlines)) {
      await database().clear();
      await anEvent(database(), { event_type: 'mail.sent' });
      await database().sql(
        `insert into dlq_breakers (target, paused_until, pace, peak) values ('http://mail/', now() + $1::interval, 1, 1)`,
        [pause],
      );
      assert.match(/(?<=class="headline">).*?(?=<\/h2>)/s.exec(await read())?.[0] ?? '', headline);
      assert.match(
        await read('runs'),
        /asked for a pause, goes on .*1 event waits\..*Held back<\/span><span>1</s,
      );
    }
    await database().clear();
  });
});
