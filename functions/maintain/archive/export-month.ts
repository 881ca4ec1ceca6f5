import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { readArchived } from '../../../shared/archive.ts';
import type { Database } from '../../../shared/database.ts';
import { ExportDamagedError } from '../../../shared/errors.ts';
import type { ExportStore } from './export-store.ts';

/** What an export says about itself. `sha256` is that of the lines before compression. */
export type Manifest = {
  readonly month: string;
  readonly file: string;
  readonly events: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly exportedAt: string;
};

const pageSize = 200;

/**
 * Writes a month of the archive as newline-delimited JSON, `{"event": {...}, "attempts": [...]}` a line, compressed by
 * gzip, and its manifest beside it; then reads it back. Throws ExportDamagedError where what is read is not what was
 * written. Its time is in the names of the files: no export replaces another, such as that of a month to which an event
 * came that was closed years later.
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

/** Page by page, so that no connection waits for Cloud Storage. */
async function* readLines(db: Database, month: string): AsyncGenerator<Buffer> {
  let afterId = '0';
  for (;;) {
    const rows = await readArchived(db, { month, afterId, limit: pageSize });
    for (const { line } of rows) yield Buffer.from(`${line}\n`);
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
