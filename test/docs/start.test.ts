import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { startFile, useServices, waitForAddress } from '../local/service-process.ts';
import { describeOperations } from '../support/cli/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { findFreePort } from '../support/free-port.ts';
import { readBlocks } from '../support/guide.ts';
import { lacks, useGuideShell } from '../support/shell.ts';
import { isItsTurn } from '../support/taken-in-turn.ts';
import { waitUntil } from '../support/wait-until.ts';

const sql = readBlocks('docs/start.md', 'sql')[0]?.code ?? '';
const [install, route, start, shop, consumer, outage, targets, event, again, back, preview, replay, ...more] =
  readBlocks('docs/start.md', 'sh').map(({ code }) => code);

/** Whether a server accepts connections; a request would be an order. */
function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, 'localhost', () => resolve(true)).on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

// One walk over all blocks of the page, on other ports, and with a database in place of the embedded one.
describe('the walk of docs/start.md', { skip: lacks('bash', 'curl') || !isItsTurn('start.md') }, () => {
  const database = useDatabase();
  const { startService } = useServices();
  const shell = useGuideShell();
  const ports = { shop: 0, service: 0 };
  const run = (block = '') =>
    shell.run(block.replaceAll('9000', `${ports.shop}`).replaceAll('8080', `${ports.service}`));
  const countEvents = async () => {
    const rows = await database().sql<{ state: string; events: number }>(
      `select case when is_open then 'open' else status end as state, count(*)::int as events
       from dlq_events group by 1`,
    );
    return Object.fromEntries(rows.map(({ state, events }) => [state, events]));
  };
  before(async () => {
    ports.shop = await findFreePort();
    ports.service = await findFreePort();
    const dlo = path.resolve('test/support/cli/dlo.ts');
    shell.write('operations.json', JSON.stringify(await describeOperations()));
    shell.writeProgram(
      'dlo',
      `export DLO_OPERATIONS=operations.json DLO_URL=http://localhost:${ports.service}/replay
      exec '${process.execPath}' '${dlo}' "$@" 2>> dlo.log`,
    );
    await run(route);
  });

  it('begins with the commands that start npm start, whose test runs it', () => {
    assert.deepEqual(
      [install, start],
      [
        'npm ci\nexport PATH="$PWD/node_modules/.bin:$PATH"\n',
        'DEMO=off ROUTES_FILE="$SHOP/routes.json" npm start\n',
      ],
    );
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.equal(scripts.start, `node ${path.relative(process.cwd(), startFile)}`);
    assert.deepEqual(more, []);
  });

  it('reports 20 failures once, and delivers 19 of them when payments are back', async () => {
    const service = startService({
      DATABASE_URL: database().url,
      PORT: `${ports.service}`,
      ROUTES_FILE: path.join(shell.folder(), 'routes.json'),
    });
    await waitForAddress(service);
    await run(shop);
    await waitUntil('the shop listens', () => isListening(ports.shop));
    await run(consumer);
    await run(outage);
    assert.deepEqual(await countEvents(), { open: 20 });
    // The database is asked first: each block starts processes.
    const opened = `select from dlq_breakers where state <> 'CLOSED'`;
    await waitUntil('the breaker is open', async () => (await database().sql(opened)).length > 0);
    await waitUntil('the target is down', async () => (await run(targets)).includes('"state":"down"'));
    assert.match(await run(targets), /"waiting":20/);
    const [first] = await database().sql<{ id: string }>('select min(id)::text as id from dlq_events');
    const show = event?.replace('show 1', `show ${first?.id}`);
    await waitUntil('the event says so', async () => (await run(show)).includes('Its target is down.'));
    await run(again);
    assert.deepEqual(await countEvents(), { open: 20 });

    await run(back);
    await waitUntil('the shop has answered all', async () => (await countEvents()).open === undefined);
    assert.deepEqual(await countEvents(), { SUCCEEDED: 19, FAILED_PERMANENTLY: 1 });
  });

  it('replays the last order with a patch, after a preview', async () => {
    assert.match(await run(preview), /"selected":1,/);
    await run(replay);
    await waitUntil('the run has ended', async () => (await countEvents()).SUCCEEDED === 20);
    assert.match(shell.read('shop.log'), /^paid 13$/m);
    const rows = await database().sql<{ status: string; events: string }>(sql);
    assert.deepEqual(
      rows.map(({ status, events }) => [status, events]),
      [
        ['SUCCEEDED', '20'],
        ['DISCARDED', '1'],
      ],
    );
  });
});
