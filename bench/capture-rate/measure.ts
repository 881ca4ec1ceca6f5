// Captured requests per second from concurrent senders, in turns with other functions: ratios are to the first of them. And CPU
// time per request of each process, which depends far less on other load of the machine.
//   DATABASE_URL=postgres://... node bench/capture-rate/measure.ts
//     [--rounds 5] [--seconds 5] [--message order|letters|10kB|40kB|1MB|orders-1MB] [--senders 50]
//     [--targets hello,coalesced,single,naive] [--delay ms: latency of the database]
//     [--shape types|keys|groups|..., of test/support/shapes.ts] [--size 100000: of each, with as many events before]
import { parseArgs } from 'node:util';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { fillShape, type Shape } from '../../test/support/shapes.ts';
import { findPostmaster, readCpuSeconds, readPostgresCpuSeconds } from './cpu-seconds.ts';
import { createNaiveTable } from './naive.ts';
import { messages, send } from './send.ts';
import { openDelayedLink, type Served, serve } from './serve.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    message: { type: 'string', default: 'order' },
    senders: { type: 'string', default: '50' },
    targets: { type: 'string', default: 'hello,coalesced,single' },
    delay: { type: 'string', default: '0' },
    shape: { type: 'string' },
    size: { type: 'string', default: '100000' },
  },
});
const message = messages[values.message as keyof typeof messages];
const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) throw new Error('Set DATABASE_URL to an empty database of a server on this machine.');
await migrate(databaseUrl);
await createNaiveTable(databaseUrl);
const size = values.shape ? Number(values.size) : undefined;
if (size) {
  const db = openDatabase({ kind: 'url', url: databaseUrl, poolMax: 1 }, 'bench');
  await fillShape(db, values.shape as Shape, { size, events: size });
  await db.query({ text: 'vacuum analyze dlq_events' });
  await db.close();
}
const postmaster = await findPostmaster(databaseUrl);
const link = values.delay === '0' ? undefined : await openDelayedLink(databaseUrl, Number(values.delay));
const targets = values.targets.split(',');
const served = await Promise.all(
  targets.map((target, i) => serve(target, 7100 + i, link?.url ?? databaseUrl)),
);

type Metrics = Record<'perSecond' | 'function' | 'client' | 'database', number>;
const metrics: Metrics[][] = targets.map(() => []);
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const [i, each] of served.entries()) {
    const measured = await measure(each);
    // The first round warms up.
    if (round > 0) metrics[i]?.push(measured);
  }
}
for (const { child } of [...served, ...(link ? [link] : [])]) child.kill();
print();

async function measure({ url, child }: Served): Promise<Metrics> {
  const read = () => ({
    function: readCpuSeconds(child.pid ?? 0),
    client: readCpuSeconds(process.pid),
    database: readPostgresCpuSeconds(postmaster),
  });
  const before = read();
  const { requests, perSecond } = await send(url, message, {
    seconds: Number(values.seconds),
    senders: Number(values.senders),
    size,
  });
  const after = read();
  const micros = (name: keyof typeof before) => ((after[name] - before[name]) * 1e6) / requests;
  return { perSecond, function: micros('function'), client: micros('client'), database: micros('database') };
}

function print(): void {
  console.log(
    '| function | requests/s | ratio to the first [min-max] | CPU us per request: function | client | database |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const [i, own] of metrics.entries()) {
    const of = (name: keyof Metrics) => median(own.map((each) => each[name])).toFixed(0);
    const ratios = own.map(({ perSecond }, round) => perSecond / (metrics[0]?.[round]?.perSecond ?? 1));
    const range = `[${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}]`;
    const cells = [targets[i], of('perSecond'), `${median(ratios).toFixed(2)} ${range}`];
    console.log(`| ${[...cells, of('function'), of('client'), of('database')].join(' | ')} |`);
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
