// Events per second of the retry function, with its default settings and the framework, to an HTTP target, compared with a client that
// only sends and a worker without any logic (least-worker.ts), to the same target, in alternating rounds. With a shape
// of test/support/shapes.ts and its size the events have 2,000 keys or 100,000 types, as an example.
//   DATABASE_URL=postgres://... node bench/drain-rate/deliver.ts [rounds] [events] [shape] [size]
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '../../migrations/migrate.ts';
import { openDatabase } from '../../shared/database/database.ts';
import { serveFunction } from '../../test/support/framework.ts';
import { fillShape, routesOf, type Shape } from '../../test/support/shapes.ts';
import { findPostmaster, readCpuSeconds, readPostgresCpuSeconds } from '../capture-rate/cpu-seconds.ts';

const [rounds = 5, events = 20_000] = process.argv.slice(2, 4).map(Number);
const [shape, size = '1'] = process.argv.slice(4) as [shape?: Shape, size?: string];
const url = process.env.DATABASE_URL;
if (!url) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(url);
const db = openDatabase({ kind: 'url', url, poolMax: 1 }, 'bench');
const postmaster = await findPostmaster(url);

const program = (name: string) => path.join(import.meta.dirname, name);
const target = spawn(process.execPath, [program('target.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
const readLine = async () => String((await once(target.stdout, 'data'))[0]).trim();
const targetUrl = await readLine();

type Sample = { rate: number; client: number; database: number };
type Samples = { bare: Sample; least: Sample; retry: Sample };
const samples: Samples[] = [];
for (let round = 0; round < rounds; round++)
  samples.push({ bare: await sendBare(), least: await leastWork(), retry: await retry() });
target.kill();
await db.close();

console.log(
  '| client | events/s, median [min-max] | CPU of the client per event, µs | of the database, µs |\n|---|---|---|---|',
);
for (const name of ['bare', 'least', 'retry'] as const) {
  const of = (key: keyof Sample) => samples.map((each) => each[name][key]).sort((a, b) => a - b);
  const rates = of('rate').map((rate) => rate.toFixed(0));
  console.log(
    `| ${name} | ${median(of('rate')).toFixed(0)} [${rates[0]}-${rates.at(-1)}] | ${median(of('client')).toFixed(0)} | ${median(of('database')).toFixed(0)} |`,
  );
}
for (const [name, other] of [
  ['retry', 'bare'],
  ['least', 'bare'],
  ['retry', 'least'],
] as const) {
  const ratios = samples.map((each) => each[name].rate / each[other].rate).sort((a, b) => a - b);
  console.log(
    `\n${name} / ${other}: ${median(ratios).toFixed(2)} [${ratios[0]?.toFixed(2)}-${ratios.at(-1)?.toFixed(2)}]`,
  );
}

async function sendBare(): Promise<Sample> {
  return { ...(await runClient('bare-client.ts', targetUrl)), database: 0 };
}

async function leastWork(): Promise<Sample> {
  await fill(events);
  const before = readPostgresCpuSeconds(postmaster);
  const sample = await runClient('least-worker.ts', url ?? '', targetUrl);
  return { ...sample, database: ((readPostgresCpuSeconds(postmaster) - before) / events) * 1e6 };
}

async function runClient(name: string, ...args: string[]): Promise<Omit<Sample, 'database'>> {
  const before = await countRequests();
  const { stdout } = await promisify(execFile)(process.execPath, [program(name), ...args, `${events}`]);
  await assertSent(before);
  const { seconds, cpuSeconds } = JSON.parse(stdout);
  return { rate: events / seconds, client: (cpuSeconds / events) * 1e6 };
}

/** One tick, after a first one that opens the connections. */
async function retry(): Promise<Sample> {
  const routes = shape
    ? routesOf(shape, Number(size), targetUrl)
    : [{ target: { kind: 'http', url: targetUrl } }];
  const served = await serveFunction('retry', {
    DATABASE_URL: url ?? '',
    ROUTES: JSON.stringify(routes),
    ...profiling(),
  });
  const tick = () => fetch(served.url, { method: 'POST' }).then((answer) => answer.json());
  try {
    await fill(1000);
    await tick();
    await fill(events);
    const before = await countRequests();
    const cpu = () => ({
      client: readCpuSeconds(served.child.pid ?? 0),
      database: readPostgresCpuSeconds(postmaster),
    });
    const [cpuBefore, startedAt] = [cpu(), performance.now()];
    const { tally } = (await tick()) as { tally: { delivered: number } };
    const [seconds, cpuAfter] = [(performance.now() - startedAt) / 1000, cpu()];
    await assertSent(before);
    if (tally.delivered !== events) throw new Error(`${tally.delivered} of ${events} events`);
    const perEvent = (key: 'client' | 'database') => ((cpuAfter[key] - cpuBefore[key]) / events) * 1e6;
    return { rate: events / seconds, client: perEvent('client'), database: perEvent('database') };
  } finally {
    if (process.env.PROFILE) {
      served.child.kill('SIGTERM');
      await once(served.child, 'exit');
    }
    await served.stop();
  }
}

/** With PROFILE=folder, each process of the function writes its CPU profile there. */
function profiling(): Record<string, string> {
  const { PROFILE } = process.env;
  return PROFILE ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${PROFILE}` } : {};
}

async function fill(count: number): Promise<void> {
  await db.query({ text: 'truncate dlq_events, dlq_attempts' });
  if (shape) await fillShape(db, shape, { size: Number(size), events: count });
  else
    await db.query({
      text: `insert into dlq_events (event_type, payload, body, error_reason, retry_after, fingerprint)
      select 'order.created', jsonb_build_object('n', n, 'note', repeat('x', 800)), convert_to(repeat('x', 800), 'UTF8'),
        'timeout', now() - interval '1 hour', 'v2:0123456789abcdef'
      from generate_series(1, $1::int) n`,
      values: [count],
    });
  await db.query({ text: 'vacuum analyze dlq_events' });
}

async function countRequests(): Promise<number> {
  target.stdin.write('\n');
  return Number(await readLine());
}

async function assertSent(before: number): Promise<void> {
  const sent = (await countRequests()) - before;
  if (sent !== events) throw new Error(`The target got ${sent} of ${events} requests.`);
}

function median(numbers: readonly number[]): number {
  return numbers[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
