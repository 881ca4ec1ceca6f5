import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Database } from '../database/database.ts';
import { ExportDamagedError } from '../errors.ts';
import { readArchived } from './archive.ts';
import type { ExportStore } from './export-store.ts';

/** Description of an export. `sha256` is that of the lines before compression. */
export type Manifest = {
  readonly month: string;
  readonly file: string;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly exportedAt: string;
};

const pageSize = 200;
/** Bytes of the lines that are in memory at once, or a single line. */
const pageBytes = 2 ** 20;

/**
 * Exports a month of the archive as newline-delimited JSON, `{"event": {...}, "attempts": [...]}` per line,
 * compressed by gzip, with a manifest, and reads it back. Throws ExportDamagedError if the file read differs
 * from the file written. File names contain the time: an event that is closed years later may cause a second
 * export of its month, which must not replace the first.
 */
export async function exportMonth(db: Database, store: ExportStore, month: string): Promise<Manifest> {
  const exportedAt = new Date().toISOString();
  const name = `dlq_events_archive_${month.slice(0, 7)}_${exportedAt.replaceAll(/[-:]|\.\d+/g, '')}`;
  const file = `${name}.ndjson.gz`;
  const written = measure();
  await pipeline(Readable.from(readLines(db, month)), written.tap, createGzip(), store.write(file));
  const manifest = { month, file, ...written.result(), exportedAt };
  await pipeline(Readable.from([`${JSON.stringify(manifest, null, 2)}\n`]), store.write(`${name}.json`));

  const read = measure();
  await pipeline(store.read(file), createGunzip(), read.tap, drain);
  const { sha256, events } = read.result();
  if (sha256 !== manifest.sha256) throw new ExportDamagedError(file, manifest.events, events);
  return manifest;
}

/** Reads page by page: no connection is held while Cloud Storage is written. */
async function* readLines(db: Database, month: string): AsyncGenerator<Buffer> {
  let afterId = '0';
  for (;;) {
    const rows = await readArchived(db, { month, afterId, limit: pageSize, maxBytes: pageBytes });
    for (const { line } of rows) yield line;
    const last = rows.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

/** Counts and hashes what passes through `tap`. */
function measure() {
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

async function drain(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of chunks);
}
