import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { useApi } from '../support/api.ts';
import { useCapture } from '../support/capture.ts';
import { useDatabase } from '../support/database.ts';
import { anEvent } from '../support/factories.ts';
import { findBlock, readBlocks } from '../support/guide.ts';
import { aRouteTo } from '../support/routes.ts';
import { lacks, useGuideShell } from '../support/shell.ts';
import { standInPrograms } from '../support/stand-in-programs.ts';
import { isItsTurn } from '../support/taken-in-turn.ts';

/** Pages whose commands have a walk or a suite of their own. */
const walked = ['docs/start.md', 'docs/bring-over.md', 'docs/adopt.md'];
const pages = ['README.md', ...globSync('docs/*.md').sort()].filter((page) => !walked.includes(page));

const secret = 'a secret of the sender';

const skip = lacks('bash', 'curl', 'openssl') || !isItsTurn('commands');

describe('the commands of the documentation', { skip }, () => {
  const database = useDatabase();
  const capture = useCapture(database);
  const signed = useCapture(database, { secrets: [secret] });
  const replay = useApi(database, { routes: [aRouteTo('https://billing.example/orders')] });
  let run = '0';
  const shell = useGuideShell(() => ({
    CAPTURE: capture().url,
    REPLAY: replay().url,
    RUN: run,
    SECRET: secret,
    DATABASE_URL: database().url,
    NEW_DATABASE_URL: database().url,
    BUCKET: 'exports',
    PERSON: 'ana@example.com',
  }));
  before(async () => {
    for (const [name, script] of Object.entries(standInPrograms)) {
      shell.writeProgram(name, script, process.execPath);
    }
    await anEvent(database(), { event_type: 'order.created', status: 'FAILED_PERMANENTLY' });
    mkdirSync(path.join(shell.folder(), 'storage/exports'), { recursive: true });
  });
  const findRun = async () => {
    const [row] = await database().sql<{ id: string }>(
      `select id from dlq_runs where trigger = 'replay' order by id desc limit 1`,
    );
    return row?.id ?? '0';
  };

  for (const page of pages) {
    for (const { line, code } of readBlocks(page, 'sh')) {
      it(`of ${page}:${line} run as they stand`, async () => {
        run = await findRun();
        const printed = await shell.run(code.replaceAll('localhost:8080/capture', capture().url));
        assert.doesNotMatch(printed, /"code": ?"[A-Z_]+"/);
      });
    }
  }

  it('report misspelt fields in no request', async () => {
    const printed = await shell.run(findBlock('docs/send.md', '"payload": {"orderId": 4711},\n'));
    const [event] = JSON.parse(printed).events;
    assert.deepEqual(
      [event.eventType, event.eventId, event.ignored],
      ['order.created', 'evt-01J9ZK3V', undefined],
    );
  });

  it('sign a request as capture requires', async () => {
    const block = findBlock('docs/send.md', 'openssl');
    assert.match(await shell.run(`CAPTURE='${signed().url}'\n${block}`), /"eventType":"order.created"/);
    assert.match(
      await shell.run(`CAPTURE='${signed().url}' SECRET=another\n${block}`),
      /"code":"NOT_AUTHORIZED"/,
    );
  });

  it('erase a person from the exported months, and leave all other lines', async () => {
    const file = path.join(shell.folder(), 'storage/exports/dlq_events_archive_2026-03.ndjson.gz');
    const other = path.join(shell.folder(), 'storage/exports/dlq_events_archive_2026-04.ndjson.gz');
    writeFileSync(file, gzipSync('{"event": {"to": "ana@example.com"}}\n{"event": {"to": "bob"}}\n'));
    writeFileSync(other, gzipSync('{"event": {"to": "carl"}}\n'));
    const untouched = readFileSync(other);
    await shell.run(findBlock('docs/operate.md', 'gcloud storage ls'));
    assert.equal(gunzipSync(readFileSync(file)).toString(), '{"event": {"to": "bob"}}\n');
    assert.deepEqual(readFileSync(other), untouched);
  });

  it('erase a person from the database', { skip: lacks('psql') }, async () => {
    await anEvent(database(), { event_type: 'mail', payload: '{"to": "ana@example.com"}' });
    const commands = readBlocks('docs/operate.md', 'sh').filter(({ code }) =>
      code.includes('docs/erase.sql'),
    );
    assert.equal(commands.length, 2);
    for (const { code } of commands) {
      const root = path.resolve(import.meta.dirname, '../..');
      await shell.run(`rm -f psql; PATH="\${PATH#*:}"; cd '${root}'\n${code.trim()} 2> /dev/null`);
    }
    assert.deepEqual(await database().sql(`select from dlq_events where event_type = 'mail'`), []);
  });
});
