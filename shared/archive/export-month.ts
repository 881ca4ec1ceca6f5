import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ExportDamagedError } from '../errors.ts';
import { readProgress, saveProgress } from '../jobs/job-state.ts';
import { log } from '../log.ts';
import type { ExportStore } from './export-store.ts';

/** Returns the lines of a page in slices: the last slice of a line ends with its line feed. */
export const readArchived = statement<
  { month: string; afterId: string; limit: number; maxBytes: number },
  { readonly id: string; readonly digest: string; readonly line: Buffer }
>('read-archived');

/** A file of an export. `sha256` is that of the lines before compression. */
const FileSchema = v.object({ file: v.string(), events: v.number(), bytes: v.number(), sha256: v.string() });

/** The files that are written and read back, and the event after which the next one begins. */
const ProgressSchema = v.object({
  month: v.string(),
  afterId: v.string(),
  digest: v.string(),
  files: v.array(FileSchema),
});

/** Bytes of lines in a file, and the time (ms since the epoch) after which no file begins. */
export type ExportLimits = { readonly fileBytes: number; readonly endsAt: number };

/** Where an export reads and writes. */
type Ends = { readonly db: Database; readonly store: ExportStore };

const job = { name: 'purge' } as const;
const pageSize = 200;
/** Bytes of the lines that are in memory at once, or a single line. */
const pageBytes = 2 ** 20;

/**
 * Exports a month of the archive as newline-delimited JSON, `{"event": {...}, "attempts": [...]}` per
 * line, in files compressed by gzip, and a manifest after the last one. Reads each file back; throws
 * ExportDamagedError if it differs from what was written. A call goes on after the last file of the call
 * before. Returns the sum of the digests of the events; undefined if it has to go on later. File names
 * contain the time: no export replaces another, and a file that was being written when its call was killed is
 * in no manifest.
 */
export async function exportMonth(
  { db, store }: Ends,
  month: string,
  { fileBytes, endsAt }: ExportLimits,
): Promise<string | undefined> {
  let progress = await findProgress(db, month);
  while (await hasMore(db, progress)) {
    if (Date.now() >= endsAt) return undefined;
    progress = await exportFile({ db, store }, progress, fileBytes);
    await saveProgress(db, { ...job, progress });
  }
  const { files, digest } = progress;
  if (files.length === 0) return digest;
  const sum = (field: 'events' | 'bytes') => files.reduce((all, file) => all + file[field], 0);
  const totals = { month, events: sum('events'), bytes: sum('bytes'), exportedAt: new Date().toISOString() };
  const text = `${JSON.stringify({ ...totals, files }, null, 2)}\n`;
  await pipeline(Readable.from([text]), store.write(`${nameNow(month)}.json`));
  const message = `exported ${totals.events} archived events of ${month.slice(0, 7)}`;
  log('INFO', message, { action: 'export', ...totals, files: files.length });
  return digest;
}

type Progress = v.InferOutput<typeof ProgressSchema>;

async function findProgress(db: Database, month: string): Promise<Progress> {
  const [row] = await readProgress(db, job);
  const found = v.safeParse(ProgressSchema, row?.progress);
  const isSame = found.success && found.output.month === month;
  return isSame ? found.output : { month, afterId: '0', digest: '0', files: [] };
}

async function hasMore(db: Database, { month, afterId }: Progress): Promise<boolean> {
  return (await readArchived(db, { month, afterId, limit: 1, maxBytes: 1 })).length > 0;
}

/** Writes the next file and reads it back. */
async function exportFile({ db, store }: Ends, { files, ...from }: Progress, fileBytes: number) {
  const file = `${nameNow(from.month)}.ndjson.gz`;
  const position = { ...from };
  const written = measureLines();
  await pipeline(
    Readable.from(readLines(db, position, fileBytes)),
    written.tap,
    createGzip(),
    store.write(file),
  );
  const read = measureLines();
  await pipeline(store.read(file), createGunzip(), read.tap, async (chunks) => {
    for await (const _ of chunks);
  });
  const [wanted, found] = [written.result(), read.result()];
  if (found.sha256 !== wanted.sha256) throw new ExportDamagedError(file, wanted.events, found.events);
  return { ...position, files: [...files, { file, ...wanted }] };
}

const nameNow = (month: string): string =>
  `dlq_events_archive_${month.slice(0, 7)}_${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;

/** Reads pages up to `maxBytes`, and moves the position: no connection is held while files are written. */
async function* readLines(
  db: Database,
  position: { readonly month: string; afterId: string; digest: string },
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const page = { limit: pageSize, maxBytes: Math.min(pageBytes, maxBytes) };
  for (let bytes = 0; bytes < maxBytes; ) {
    const rows = await readArchived(db, { ...position, ...page });
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const { line, digest } of rows) {
      bytes += line.length;
      position.digest = `${BigInt(position.digest) + BigInt(digest)}`;
      yield line;
    }
    position.afterId = last.id;
  }
}

/** Counts and hashes what passes through `tap`. */
function measureLines() {
  const hash = createHash('sha256');
  let events = 0;
  let bytes = 0;
  return {
    async *tap(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        for (const byte of chunk) if (byte === 0x0a) events++;
        yield chunk;
      }
    },
    result: () => ({ events, bytes, sha256: hash.digest('hex') }),
  };
}
