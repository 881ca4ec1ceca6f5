import { mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { SpoolOptions } from './options.ts';
import type { Report } from './report.ts';
import { writeDurably } from './write-durably.ts';

/** Reports on disk, one file each; the names sort by the time of the failure. */
export type Spool = {
  /** Resolves once the report is on disk. Throws if the spool is full or cannot be written. */
  append(report: Report): Promise<void>;
  /** The names of the reports, oldest first. */
  list(): Promise<readonly string[]>;
  /** Undefined for a file that is gone, or holds no report. */
  read(name: string): Promise<Report | undefined>;
  remove(name: string): Promise<void>;
  /** Keeps a report that capture refuses beside the others, and never sends it again. */
  setAside(name: string): Promise<void>;
};

const defaultMaxBytes = 64 * 2 ** 20;
let count = 0;

/** Opens the spool in a folder, which is created with the first report. */
export function openSpool({ folder, maxBytes = defaultMaxBytes }: SpoolOptions): Spool {
  const inFolder = (name: string) => path.join(folder, name);
  const list = async () => (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  const append = async (report: Report) => {
    const text = JSON.stringify(report);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const used = await measureFiles((await list()).map(inFolder));
    if (used + Buffer.byteLength(text) > maxBytes) {
      throw new Error(`The spool ${folder} holds ${used} of ${maxBytes} bytes: this report does not fit.`);
    }
    await writeDurably(inFolder(nameReport(report)), text).catch((cause) => {
      throw new Error(`The spool ${folder} cannot be written: ${cause.message}.`, { cause });
    });
  };
  let last: Promise<void> = Promise.resolve();
  return {
    append: (report) => {
      // One after the other: two reports must not take the same free bytes.
      const appended = last.then(() => append(report));
      last = appended.catch(() => {});
      return appended;
    },
    list: async () => (await list()).filter((name) => name.endsWith('.report')).sort(),
    read: async (name) => parseReport(await readFile(inFolder(name), 'utf8').catch(undefinedIfMissing)),
    remove: (name) => unlink(inFolder(name)).catch(undefinedIfMissing),
    setAside: (name) => rename(inFolder(name), inFolder(`${name}.refused`)).catch(undefinedIfMissing),
  };
}

function nameReport({ failedAt, idempotencyKey }: Report): string {
  count += 1;
  return `${String(failedAt).padStart(15, '0')}-${String(count).padStart(9, '0')}-${idempotencyKey}.report`;
}

/**
 * The bytes of all files. Deletes what a killed process did not finish: its broker still has that message.
 */
async function measureFiles(files: readonly string[]): Promise<number> {
  const sizes = files.map(async (file) => {
    if (file.endsWith('.unfinished')) await rm(file, { force: true });
    return (await stat(file).catch(undefinedIfMissing))?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
}

function parseReport(text: string | undefined): Report | undefined {
  try {
    const report = text === undefined ? undefined : JSON.parse(text);
    return typeof report?.body === 'string' ? report : undefined;
  } catch {
    return undefined;
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
