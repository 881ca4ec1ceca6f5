import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readIfExists } from '../../local/read-if-exists.ts';
import { isFirst } from '../support/is-first.ts';

/** One has the files that wait a lot, and the others wait now and then: for PostgreSQL, a process or a browser. */
export const maxWorkers = 5;
/** How many of the files that wait a lot a process runs at once. */
export const maxAtOnce = 7;

/**
 * Files that wait, for seconds to pass or for other processes, nine tenths of their time. One process runs
 * them, several at once: none of them changes what all tests of a process share, such as its timers or its log.
 */
const waiting = [
  'test/docs/samples.test.ts',
  'test/docs/start.test.ts',
  'test/functions/capture/public-endpoint.test.ts',
  'test/functions/capture/silent-database.test.ts',
  'test/functions/retry/retry.test.ts',
  'test/functions/shutdown.test.ts',
  'test/infra/dynamic/cloud-sql.test.ts',
  'test/local/interrupted.test.ts',
  'test/local/killed.test.ts',
  'test/local/service.test.ts',
  'test/local/start.test.ts',
  'test/migrations/deploy-schema.test.ts',
  'test/migrations/powerless-logins.test.ts',
  'test/packages/client/faults.test.ts',
  'test/shared/delivery/slow-starts.test.ts',
  'test/shared/delivery/breakers.test.ts',
  'test/shared/delivery/deliver.test.ts',
  'test/shared/delivery/paces.test.ts',
  'test/shared/replay/gate.test.ts',
  'test/shared/replay/set-aside.test.ts',
  'test/shared/replay/work-on-replay.test.ts',
  'test/shared/replay/worker-killed.test.ts',
  'test/shared/schedule/causes.test.ts',
  'test/shared/schedule/locked-rows.test.ts',
  'test/shared/schedule/locked-runs.test.ts',
  'test/support/pubsub/faults.test.ts',
];

/**
 * A process takes long to load or to start these. The files that need the same one are a batch: one process
 * runs them, one after the other.
 */
const heavyImports = [
  /support\/api\.ts'|support\/cli\/command-line\.ts'/,
  /support\/browser\.ts'/,
  /support\/deployment-program\.ts'/,
  /'typescript'|support\/row-fields\.ts'/,
];

/** So many batches took the longest. One that is begun last would be the only one for the rest of a run. */
const maxLong = 24;
const root = path.resolve(import.meta.dirname, '../..');
/** How long each file took when it ran last, in ms. */
const durationsFile = path.join(root, 'node_modules/.cache/test-durations.json');

type Batch = readonly string[];
type Queue = Readonly<Record<'patient' | 'long' | 'short', readonly Batch[]>>;

/** Writes the files that the workers of a run take in turn, and names their queue to them. */
export function writeQueue(folder: string, files: readonly string[]): void {
  process.env.DLO_TEST_QUEUE = path.join(folder, 'queue');
  const named: Map<string, Batch> = Map.groupBy(files, nameBatch);
  const patient = named.has('waiting') ? [named.get('waiting') ?? []] : [];
  named.delete('waiting');
  const batches = [...named.values()];
  const durations = readDurations();
  const sum = (batch: Batch) => batch.reduce((ms, file) => ms + (durations[file] ?? 0), 0);
  const known = batches.filter((batch) => sum(batch) > 0);
  const long = known.sort((a, b) => sum(b) - sum(a)).slice(0, maxLong);
  const short = batches.filter((batch) => !long.includes(batch));
  writeFileSync(process.env.DLO_TEST_QUEUE, JSON.stringify({ patient, long, short } satisfies Queue));
}

/** Of a file that waits little and needs nothing heavy, its own name. */
function nameBatch(file: string): string {
  if (waiting.includes(file)) return 'waiting';
  const text = readFileSync(path.join(root, file), 'utf8');
  return heavyImports.find((each) => each.test(text))?.source ?? file;
}

/**
 * Yields the files to run next, at once: those of each batch that no other worker has taken. The first worker
 * has those that wait, if there are any, and ends with them: it costs little while the others work. All others
 * but one begin with the long ones. Of the short ones each begins at a part of its own: files of a folder load
 * the same modules.
 */
export function* takeFiles(): Generator<readonly string[]> {
  const queue = process.env.DLO_TEST_QUEUE ?? '';
  const { patient, long, short } = JSON.parse(readFileSync(queue, 'utf8')) as Queue;
  let part = 0;
  while (!isFirst(`${queue}-part-${part}`)) part += 1;
  if (part === 0 && patient.length > 0) return yield* patient;
  const start = Math.floor((short.length * part) / maxWorkers);
  const own = [...short.slice(start), ...short.slice(0, start)];
  for (const batch of part > 1 ? [...long, ...own] : [...own, ...long]) {
    if (!isFirst(`${queue}-${`${batch[0]}`.replaceAll('/', '-')}`)) continue;
    yield* batch.map((file) => [file]);
  }
}

/** Keeps how long files took, in ms, for the order of the next run. */
export function keepDurations(durations: Readonly<Record<string, number>>): void {
  mkdirSync(path.dirname(durationsFile), { recursive: true });
  const partial = `${durationsFile}.${process.pid}`;
  writeFileSync(partial, JSON.stringify({ ...readDurations(), ...durations }));
  // Another run reads all of it, or what was there before.
  renameSync(partial, durationsFile);
}

function readDurations(): Readonly<Record<string, number>> {
  return JSON.parse(readIfExists(durationsFile) ?? '{}');
}
