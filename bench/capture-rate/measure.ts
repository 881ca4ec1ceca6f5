// Captured requests per second with 50 concurrent senders, against a function that does nothing at all, in turns.
//   DATABASE_URL=postgres://... node bench/capture-rate/measure.ts [rounds] [seconds]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import autocannon from 'autocannon';
import { migrate } from '../../migrations/migrate.ts';

const [rounds = 5, seconds = 5] = process.argv.slice(2).map(Number);
const targets = ['hello', 'coalesced', 'single'] as const;
const root = path.resolve(import.meta.dirname, '../..');
const framework = path.join(root, 'node_modules/.bin/functions-framework');

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(databaseUrl);

const servers = await Promise.all(targets.map((target, i) => serve(target, 7100 + i)));
const rates = new Map<string, number[]>(targets.map((target) => [target, []]));
for (let round = 0; round <= rounds; round++) {
  for (const [i, target] of targets.entries()) {
    const rate = await load(`http://127.0.0.1:${7100 + i}/`, round === 0 ? 1 : seconds);
    if (round > 0) rates.get(target)?.push(rate);
  }
}
for (const server of servers) server.kill();

const ceiling = rates.get('hello') ?? [];
console.log(
  '| function | requests/s, median | of the ceiling, median of the rounds [least-most] |\n|---|---|---|',
);
for (const target of targets) {
  const own = rates.get(target) ?? [];
  const ratios = own.map((rate, i) => rate / (ceiling[i] ?? 1)).sort((a, b) => a - b);
  const range = `[${ratios[0]?.toFixed(2)}-${ratios.at(-1)?.toFixed(2)}]`;
  console.log(`| ${target} | ${median(own).toFixed(0)} | ${median(ratios).toFixed(2)} ${range} |`);
}

async function serve(target: string, port: number) {
  const source = path.join(import.meta.dirname, 'functions.ts');
  const child = spawn(
    process.execPath,
    [framework, '--source', source, '--target', target, '--port', `${port}`],
    {
      env: { ...process.env, FUNCTION_TARGET: target },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  child.stdout.resume();
  return child;
}

/** A wrapped Pub/Sub push of about 1 kB, another message each time. */
async function load(url: string, duration: number): Promise<number> {
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
  return result['2xx'] / result.duration;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
