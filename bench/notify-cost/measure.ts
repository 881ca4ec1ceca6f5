// The cost of NOTIFY: captures per second of several connections, with notifications and without, in turns. Commits that
// notify wait for one another, so that many small statements pay most.
//   DATABASE_URL=postgres://... node bench/notify-cost/measure.ts [rounds] [seconds] [connections]

import { migrate } from '../../migrations/migrate.ts';
import { storeCaptures } from '../../shared/capture/store-captures.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { aCapture } from '../../test/support/captures.ts';

const [rounds = 5, seconds = 3, connections = 8] = process.argv.slice(2).map(Number);
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);

console.log(
  '| events a statement | statements/s without | with | ratio, median of the rounds [least-most] |',
);
console.log('|---|---|---|---|');
for (const size of [1, 25, 100]) {
  const rates: { off: number; on: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.push({ off: await load(size, false), on: await load(size, true) });
  }
  const ratios = rates.map(({ off, on }) => on / off).sort((a, b) => a - b);
  const range = `${median(ratios).toFixed(2)} [${ratios[0]?.toFixed(2)}-${ratios.at(-1)?.toFixed(2)}]`;
  const [off, on] = [rates.map((each) => each.off), rates.map((each) => each.on)].map(median);
  console.log(`| ${size} | ${off?.toFixed(0)} | ${on?.toFixed(0)} | ${range} |`);
}

/** Returns the statements per second, each a capture of `size` new events, with one listener, as the console has. */
async function load(size: number, notify: boolean): Promise<number> {
  const db = openDatabase({ kind: 'url', url: url ?? '', poolMax: connections + 1, notify }, 'bench');
  await db.query({ text: 'truncate dlq_events, dlq_count_deltas' });
  await db.query({ text: 'listen dlq_events' });
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let statements = 0;
  const work = async (worker: number) => {
    for (let n = 0; performance.now() < endsAt; n++) {
      const keys = Array.from({ length: size }, (_, i) => `id:${worker}-${n}-${i}`);
      await storeCaptures(
        { db, maxRecurrences: 10, repeatSeconds: 600 },
        keys.map((eventKey) => aCapture({ eventKey })),
      );
      statements += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => work(i)));
  const rate = statements / ((performance.now() - startedAt) / 1000);
  await db.close();
  return rate;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
