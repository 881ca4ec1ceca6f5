// Captured requests per second with 50 concurrent senders, against a function that does nothing at all, in turns; and
// the time that each process used for a request, which does not depend on what else the machine is doing.
//   DATABASE_URL=postgres://... node bench/capture-rate/measure.ts [rounds] [seconds] [delay of the database in ms]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import autocannon from 'autocannon';
import { migrate } from '../../migrations/migrate.ts';
import { findPostmaster, readCpuSeconds, readPostgresCpuSeconds } from './cpu-seconds.ts';

const [rounds = 5, seconds = 5, delayMs = 0] = process.argv.slice(2).map(Number);
const targets = (process.env.TARGETS?.split(',') ?? ['hello', 'coalesced', 'single']) as string[];
const root = path.resolve(import.meta.dirname, '../..');
const framework = path.join(root, 'node_modules/.bin/functions-framework');

type Figures = {
  readonly rate: number;
  readonly function: number;
  readonly client: number;
  readonly database: number;
};

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(databaseUrl);
const postmaster = await findPostmaster(databaseUrl);
const link = delayMs > 0 ? await openLink(databaseUrl) : undefined;

const servers = await Promise.all(targets.map((target, i) => serve(target, 7100 + i)));
const figures = new Map<string, Figures[]>(targets.map((target) => [target, []]));
for (let round = 0; round <= rounds; round++) {
  for (const [i, target] of targets.entries()) {
    const measured = await measure(
      servers[i] as ChildProcess,
      `http://127.0.0.1:${7100 + i}/`,
      round === 0 ? 2 : seconds,
    );
    if (round > 0) figures.get(target)?.push(measured);
  }
}
for (const server of servers) server.kill();
link?.child.kill();

const ceiling = figures.get('hello') ?? [];
console.log(
  '| function | requests/s | of the ceiling [least-most] | CPU us a request: function | client | database |',
);
console.log('|---|---|---|---|---|---|');
for (const [target, own] of figures) {
  const ratios = own.map(({ rate }, i) => rate / (ceiling[i]?.rate ?? 1)).sort((a, b) => a - b);
  const range = `[${ratios[0]?.toFixed(2)}-${ratios.at(-1)?.toFixed(2)}]`;
  const of = (name: keyof Figures) => median(own.map((each) => each[name])).toFixed(0);
  const cells = [
    target,
    of('rate'),
    `${median(ratios).toFixed(2)} ${range}`,
    of('function'),
    of('client'),
    of('database'),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

async function measure(server: ChildProcess, url: string, duration: number): Promise<Figures> {
  const read = () => ({
    function: readCpuSeconds(server.pid ?? 0),
    client: readCpuSeconds(process.pid),
    database: readPostgresCpuSeconds(postmaster),
  });
  const before = read();
  const { requests, rate } = await load(url, duration);
  const after = read();
  const perRequest = (name: keyof typeof before) => ((after[name] - before[name]) * 1e6) / requests;
  return {
    rate,
    function: perRequest('function'),
    client: perRequest('client'),
    database: perRequest('database'),
  };
}

async function openLink(url: string) {
  const file = path.join(import.meta.dirname, 'delayed-link.ts');
  const child = spawn(process.execPath, [file, url, String(delayMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

async function serve(target: string, port: number): Promise<ChildProcess> {
  const source = path.join(import.meta.dirname, 'functions.ts');
  const env = { ...process.env, FUNCTION_TARGET: target, DATABASE_URL: link?.url ?? databaseUrl };
  const flags = process.env.NODE_FLAGS?.split(' ') ?? [];
  const child = spawn(
    process.execPath,
    [...flags, framework, '--source', source, '--target', target, '--port', `${port}`],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(child.stdout, 'data');
  child.stdout.resume();
  return child;
}

/** A wrapped Pub/Sub push of about 1 kB, another message each time. */
async function load(url: string, duration: number): Promise<{ requests: number; rate: number }> {
  const message = { orderId: '[<id>]', note: 'x'.repeat(700) };
  const result = await autocannon({
    url,
    duration,
    connections: 50,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    idReplacement: true,
    body: JSON.stringify({
      message: {
        messageId: '[<id>]',
        publishTime: '2026-03-01T10:15:30.123Z',
        attributes: { event_type: 'order.created' },
        data: Buffer.from(JSON.stringify(message)).toString('base64'),
      },
      subscription: 'projects/p/subscriptions/s',
    }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return { requests: result['2xx'], rate: result['2xx'] / result.duration };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
