import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createEmptyDatabase, dropDatabase, useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { findFreePort } from '../support/free-port.ts';

const command = path.resolve(import.meta.dirname, '../../local/check-config.ts');
const route = { match: { eventType: 'order.*' }, target: { kind: 'http', url: 'http://shop/' } };

describe('npm run check-config', () => {
  const database = useDatabase();
  const run = (env: Record<string, string>, ...args: string[]) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const options = { env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: database().url, ...env } };
      execFile(process.execPath, [command, ...args], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });

  it('says what the configuration would do, and compares its masks with those in force', async () => {
    await anEvent(database());
    await anEvent(database(), { event_type: 'invoice.created' });
    const file = path.join(mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'routes-')), 'now.json');
    writeFileSync(file, JSON.stringify([{ ...route, mask: ['$.email'] }]));

    assert.deepEqual(await run({ ROUTES: JSON.stringify([route]) }, '--now', file), {
      code: 0,
      output: `1 open event would wait: no route matches them (invoice.created 1).
2 events would be shown with fields that were masked (invoice.created 1, order.created 1).\n`,
    });
  });

  it('says why it cannot read the events', async () => {
    const address = `127.0.0.1:${await findFreePort()}`;
    assert.deepEqual(await run({ DATABASE_URL: `postgres://me:secret@${address}/dlo` }), {
      code: 1,
      output: `Cannot read the events in DATABASE_URL: connect ECONNREFUSED ${address}.\n`,
    });
    const empty = await createEmptyDatabase();
    const { code, output } = await run({ DATABASE_URL: empty });
    await dropDatabase(empty);
    assert.equal(code, 1);
    assert.match(output, /^Cannot read the events in DATABASE_URL: .* run npm run migrate\.\n$/);
  });

  it('does not take an empty name of a file for none, as that of a variable that is not set', async () => {
    const { code, output } = await run({}, '--now', '');
    assert.equal(code, 1);
    assert.match(output, /ROUTES_FILE.*EISDIR/s);
  });

  it('reports every problem of the configuration', async () => {
    const { code, output } = await run({ ROUTES: '[{"target":{"kind":"http"}}]', LEASE_SECONDS: 'x' });
    assert.equal(code, 1);
    assert.match(
      output,
      /2 problems.*ROUTES\[0\]\.target\.url.*LEASE_SECONDS|2 problems.*LEASE_SECONDS.*url/s,
    );
  });
});
