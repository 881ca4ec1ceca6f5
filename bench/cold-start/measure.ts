// Milliseconds from the start of a process to its first answer, for each function and, interleaved, one that only answers
// hello. A busy machine changes two other columns less: the processor time of all threads of the process, which Linux
// reports, and the code of ours that the process has loaded by then.
//   DATABASE_URL=postgres://... node bench/cold-start/measure.ts [rounds]
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '../../migrations/migrate.ts';
import { installBundle, type Started, startInstalled } from '../../test/support/installed-bundle.ts';
import { signIn } from './sign-in.ts';

const rounds = Number(process.argv[2] ?? 25);
const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) throw new Error('Set DATABASE_URL to an empty database.');
await migrate(databaseUrl);

type Trial = {
  readonly folder: string;
  readonly target: string;
  readonly request: RequestInit;
  readonly status: number;
  readonly env?: Record<string, string>;
};

const json = (body: unknown, headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const bundles = [await installBundle('bench/cold-start/entries'), await installBundle()] as const;
const [{ folder: minimal }, { folder }] = bundles;
// As deployed: the first request of a user brings an assertion of Identity-Aware Proxy to verify.
const { env: iap, headers: ann } = signIn();
const trials: Record<string, Trial> = {
  hello: { folder: minimal, target: 'hello', request: {}, status: 200 },
  // The same function again: shows how far the ratios vary by chance.
  'hello again': { folder: minimal, target: 'hello', request: {}, status: 200 },
  'capture: GET': { folder, target: 'capture', request: {}, status: 405 },
  'retry: GET': { folder, target: 'retry', request: {}, status: 405 },
  'replay: DELETE': { folder, target: 'replay', request: { method: 'DELETE' }, status: 405 },
  'console: GET, not signed in': { folder, target: 'console', request: {}, status: 401 },
  'maintain: GET': { folder, target: 'maintain', request: {}, status: 405 },
  'hello, with a query': { folder: minimal, target: 'ask', request: {}, status: 200 },
  'capture: an event': { folder, target: 'capture', request: json({ orderId: 1 }), status: 200 },
  'retry: a tick': { folder, target: 'retry', request: json({}), status: 200 },
  'replay: an event': { folder, target: 'replay', request: json({ ids: ['1'] }, ann), status: 200, env: iap },
  'console: a page': { folder, target: 'console', request: { headers: ann }, status: 200, env: iap },
  'maintain: its jobs': { folder, target: 'maintain', request: json({}), status: 200 },
};

type Sample = { readonly elapsed: number; readonly processor: number };

const samples = new Map<string, Sample[]>(Object.keys(trials).map((name) => [name, []]));
for (let round = 0; round <= rounds; round++) {
  for (const [name, trial] of Object.entries(trials)) {
    const { started, sample } = await answer(trial);
    await started.stop();
    if (round > 0) samples.get(name)?.push(sample);
  }
}

console.log(
  '| first answer | ms | times hello | processor ms | times hello | code of ours |\n|---|---|---|---|---|---|',
);
for (const [name, trial] of Object.entries(trials)) {
  const cells = [...compare(name, 'elapsed'), ...compare(name, 'processor'), await describeLoaded(trial)];
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
for (const { remove } of bundles) await remove();

type Answered = { readonly started: Started; readonly sample: Sample };

async function answer({ folder, target, request, status, env }: Trial, more = {}): Promise<Answered> {
  const started = await startInstalled(folder, target, { DATABASE_URL: databaseUrl ?? '', ...env, ...more });
  const response = await ask(started.url, request);
  const sample = { elapsed: performance.now() - started.at, processor: readProcessorMs(started.pid) };
  if (response.status === status) return { started, sample };
  await started.stop();
  throw new Error(`${target} answered ${response.status}: ${started.output()}`);
}

/** Repeats the request until the function listens. */
async function ask(url: string, request: RequestInit): Promise<Response> {
  for (;;) {
    try {
      return await fetch(url, request);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

async function describeLoaded(trial: Trial): Promise<string> {
  const preload = path.join(import.meta.dirname, 'list-loaded.ts');
  const options = [trial.env?.NODE_OPTIONS, `--import=${preload}`].filter(Boolean).join(' ');
  const { started } = await answer(trial, { NODE_OPTIONS: options });
  await started.stop('SIGTERM');
  const modules: string[] = JSON.parse(started.output().split('\n').at(-1) ?? '');
  const own = modules.filter((file) => file.startsWith(trial.folder) && !file.includes('/node_modules/'));
  const bytes = own.reduce((sum, file) => sum + statSync(file).size, 0);
  return `${own.length} files, ${(bytes / 1000).toFixed(0)} kB`;
}

/** Returns processor milliseconds, or NaN on a system other than Linux. */
function readProcessorMs(pid: number | undefined): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((id) =>
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time / 1e6, 0);
  } catch {
    return Number.NaN;
  }
}

/** Returns the median, and the median ratio to hello in the same round with its quartiles. */
function compare(name: string, field: keyof Sample): [string, string] {
  const own = (samples.get(name) ?? []).map((sample) => sample[field]);
  const floor = (samples.get('hello') ?? []).map((sample) => sample[field]);
  const ratios = own.map((time, i) => time / (floor[i] ?? 1)).sort((a, b) => a - b);
  const quartiles = [0.25, 0.75].map((part) => ratios[Math.floor(ratios.length * part)]?.toFixed(2));
  return [median(own).toFixed(0), `${median(ratios).toFixed(2)} [${quartiles.join('-')}]`];
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
