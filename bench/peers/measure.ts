// Compares capture and drain with peers on one PostgreSQL, in alternating rounds: medians with their spread, CPU time per event,
// WAL and bytes at rest. A measurement whose work is incomplete ends the run. DATABASE_URL, of a superuser on this machine,
// replaces the server that it starts.
//   npm run bench:peers -- [--rounds 3] [--events 20000] [--bytes 500] [--delay 2]
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { findPostmaster, readPostgresCpuSeconds } from '../capture-rate/cpu-seconds.ts';
import { openServer } from './server.ts';
import type { System } from './system.ts';
import { systems } from './systems.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    events: { type: 'string', default: '20000' },
    bytes: { type: 'string', default: '500' },
    delay: { type: 'string', default: '0' },
  },
});
const [rounds, events, bytes] = [Number(values.rounds), Number(values.events), Number(values.bytes)];
const server = await openServer();
const postmaster = await findPostmaster(server.url);
const admin = new pg.Client({ connectionString: server.url });
await admin.connect();

/** Per event: seconds of CPU of the client and of PostgreSQL, and bytes of WAL. */
type Sample = {
  readonly rate: number;
  readonly client: number;
  readonly database: number;
  readonly wal: number;
};
const samples = new Map<string, Sample[]>();
const atRest = new Map<string, number>();

for (let round = 1; round <= rounds; round++) {
  for (const system of systems) {
    for (const [index, drain] of Object.keys(system.drains).entries()) await play(system, drain, index === 0);
  }
  console.error(`round ${round} of ${rounds}`);
}
await admin.end();
await server.stop();
printTable();

/** Captures into an empty database, and drains it. */
async function play(system: System, drain: string, countsCapture: boolean): Promise<void> {
  await admin.query('drop database if exists dlo_peers with (force)');
  await admin.query('create database dlo_peers');
  const url = Object.assign(new URL(server.url), { pathname: '/dlo_peers' }).href;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const count = async (text: string) => Number((await client.query(text)).rows[0]?.count);
  const link = await openLink(url);
  try {
    await work(system.name, 'install', url);
    const captured = await measure(() => work(system.name, 'capture', link.url, `${events}`, `${bytes}`));
    assertDone(system, 'captured', events - (await count(system.count.stored)));
    await client.query('vacuum analyze');
    const sizes = system.tables.map((table) => `pg_total_relation_size('${table}')`).join(' + ');
    const { rows } = await client.query<{ size: string }>(`select ${sizes} as size`);
    if (countsCapture) {
      atRest.set(system.name, Number(rows[0]?.size) / events);
      keep(`${system.name} | capture`, captured);
    }
    const drained = await measure(() => work(system.name, drain, link.url));
    assertDone(system, drain, await count(system.count.left));
    keep(`${system.name} | drain, ${drain}`, drained);
  } finally {
    link.close();
    await client.end();
  }
}

function assertDone(system: System, work: string, missing: number): void {
  if (missing !== 0) throw new Error(`${system.name}, ${work}: ${missing} events are missing.`);
}

async function work(...parameters: string[]): Promise<{ seconds: number; cpuSeconds: number }> {
  const program = path.join(import.meta.dirname, 'work.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...parameters]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

async function measure(run: () => ReturnType<typeof work>): Promise<Sample> {
  await admin.query('checkpoint');
  const before = await readServer();
  const { seconds, cpuSeconds } = await run();
  const after = await readServer();
  return {
    rate: events / seconds,
    client: cpuSeconds / events,
    database: (after.cpu - before.cpu) / events,
    wal: (after.wal - before.wal) / events,
  };
}

async function readServer(): Promise<{ cpu: number; wal: number }> {
  const { rows } = await admin.query<{ wal: string }>(`select pg_current_wal_lsn() - '0/0' as wal`);
  return { cpu: readPostgresCpuSeconds(postmaster), wal: Number(rows[0]?.wal) };
}

/** The database behind a network that delays each statement, if asked for. */
async function openLink(url: string): Promise<{ url: string; close: () => void }> {
  if (values.delay === '0') return { url, close: () => {} };
  const program = path.join(import.meta.dirname, '../capture-rate/delayed-link.ts');
  const proxy = spawn(process.execPath, [program, url, values.delay], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(proxy.stdout.setEncoding('utf8'), 'data');
  return { url: String(address).trim(), close: () => proxy.kill() };
}

function keep(line: string, sample: Sample): void {
  samples.set(line, [...(samples.get(line) ?? []), sample]);
}

function printTable(): void {
  console.log(`${events} events of ${bytes} bytes, ${rounds} rounds, ${values.delay} ms per statement\n`);
  console.log(
    '| system | work | events/s [min-max] | CPU of client, µs | of database, µs | WAL, bytes | at rest, bytes |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const [line, all] of samples) {
    const of = (key: keyof Sample) => all.map((sample) => sample[key]).sort((a, b) => a - b);
    const rates = of('rate').map((rate) => rate.toFixed(0));
    const rest = line.endsWith('capture') ? (atRest.get(line.split(' | ')[0] ?? '')?.toFixed(0) ?? '') : '';
    const cells = [
      `${median(of('rate')).toFixed(0)} [${rates[0]}-${rates.at(-1)}]`,
      (median(of('client')) * 1e6).toFixed(0),
      (median(of('database')) * 1e6).toFixed(0),
      median(of('wal')).toFixed(0),
      rest,
    ];
    console.log(`| ${line} | ${cells.join(' | ')} |`);
  }
  console.log(`\n${systems.map(({ name, keeps }) => `- ${name} keeps ${keeps}.`).join('\n')}`);
}

function median(numbers: readonly number[]): number {
  return numbers[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
