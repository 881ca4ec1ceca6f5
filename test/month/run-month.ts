// Plays days of the deployed schedule in minutes: six hours a tick, in scenes of what queues of failures are
// full of, and beside them the loop of the articles on the same days.
//   npm run month -- --ticks 24 --only 'ten|429'
// Exits with 1 if an event was sent twice, or if one in twenty waited for more than two ticks or was never sent.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { startServer } from '../chaos/server.ts';
import { retryConfig } from '../support/routes.ts';
import { playArticles } from './articles-loop.ts';
import type { Outcome } from './outcomes.ts';
import { playDays } from './play-days.ts';
import { scenes } from './scenes.ts';

const { values } = parseArgs({
  options: {
    ticks: { type: 'string', default: '24' },
    only: { type: 'string', default: '' },
  },
});
const ticks = Number(values.ticks);
const heading = [
  '| scene | healthy events | waits p50, p95, max | never | requests a tick while down | and of sick ones again | 429 | sent twice | longest tick | the loop: waits; never |',
  '|---|---|---|---|---|---|---|---|---|---|',
].join('\n');
const folder = mkdtempSync(path.join(tmpdir(), 'dlo-month-'));
// PostgreSQL does not run as root; its own user must be able to enter the folder.
chmodSync(folder, 0o711);
const server = await startServer(folder);
try {
  await migrate(server.url);
  const db = openDatabase({ kind: 'url', url: server.url, poolMax: 8 }, 'month');
  const world = { db, sql: server.sql, retry: retryConfig({ tickBudgetSeconds: 50 }) };
  console.log(heading);
  for (const scene of scenes.filter(({ name }) => new RegExp(values.only).test(name))) {
    await server.sql('truncate dlq_events, dlq_captures, dlq_attempts, dlq_breakers, dlq_runs cascade');
    const outcome = await playDays(world, scene, ticks);
    console.log(row(outcome, playArticles(scene, ticks)));
    if (isBroken(outcome)) process.exitCode = 1;
  }
  await db.close();
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Whether something was sent twice, or healthy events waited although their target would have taken them. */
function isBroken({ sentTwice, waits }: Outcome): boolean {
  return sentTwice > 0 || (waits[Math.floor(0.95 * waits.length)] ?? 0) > 2;
}

function row(outcome: Outcome, loop: ReturnType<typeof playArticles>): string {
  const { scene, healthy, never, requestsWhileDown, requestsOfSick, refusals, sentTwice } = outcome;
  const cells = [
    ...[
      scene,
      healthy,
      describe(outcome.waits),
      never,
      requestsWhileDown,
      requestsOfSick,
      refusals,
      sentTwice,
    ],
    ...[`${Math.round(outcome.longestTickSeconds)} s`, `${describe(loop.waits)}; ${loop.never}`],
  ];
  return `| ${cells.join(' | ')} |`;
}

function describe(waits: readonly number[]): string {
  const at = (part: number) => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))] ?? '–';
  return [at(0.5), at(0.95), at(1)].join(', ').replaceAll('Infinity', 'never');
}
