import type pg from 'pg';
import { type Counts, countEvents } from './database/counts.ts';
import { type FunctionProcess, functionNames } from './functions.ts';

/** What is open by now; filled step by step. */
export type Parts = {
  pool?: pg.Pool;
  isMigrated: boolean;
  functions: readonly FunctionProcess[];
  /** The events as they were when the office closed. */
  lastCounts?: Counts;
};

/** Names what the office still lacks, or lacks again. */
export async function listMissing({ pool, isMigrated, functions }: Parts): Promise<readonly string[]> {
  const isReady = (name: string) => functions.some((each) => each.name === name && each.isReady());
  return [
    ...((await isAnswering(pool)) ? [] : ['database']),
    ...(isMigrated ? [] : ['migrations']),
    ...functionNames.filter((name) => !isReady(name)),
  ];
}

/** Counts the events one last time, as far as the database lets us. */
export async function takeLastCounts(parts: Parts): Promise<void> {
  const counts = await (parts.pool && countEvents(parts.pool).catch(() => undefined));
  if (counts) parts.lastCounts = counts;
}

async function isAnswering(pool: pg.Pool | undefined): Promise<boolean> {
  if (!pool) return false;
  return pool.query('select').then(
    () => true,
    () => false,
  );
}
