import { hasCost } from '../../../shared/events/filter/filter-fields.ts';
import type { Filter } from '../../../shared/events/filter/filter-schema.ts';
import type { ListedEvent, Reach } from '../../../shared/events/list-events.ts';
import { behind, readPart, type Walk } from '../../../shared/events/read-part.ts';
import type { ConsoleDeps } from '../page.ts';

/** Events that are found by one request. */
export const pageSize = 50;

/** The time of a request unless the console has another one, and of one statement of it, in ms. */
const maxMs = 700;
const statementMs = 150;
const sizes = { first: 1000, max: 100_000 };

/**
 * The results of one request: the events that match, the number of events that it compared, undefined if it ended
 * between two counts, and the last one of them, undefined if it read all.
 */
export type Reading = {
  readonly rows: readonly ListedEvent[];
  readonly read: number | undefined;
  readonly reach?: Reach | undefined;
};

/** Whether a filter has a condition that no index and no statistics answer: each event is read for it. */
export function needsReading(filter: Filter): boolean {
  return hasCost(filter, 'scan', 'payload');
}

/**
 * Reads one part of the events after the other, the latest first, and compares each with a filter, until a
 * page is found or the time is over. A part is as long as the speed of the part before allows.
 */
export async function readEvents(
  { db, readMs = maxMs }: Pick<ConsoleDeps, 'db' | 'readMs'>,
  walk: Walk,
): Promise<Reading> {
  const began = performance.now();
  const rows: ListedEvent[] = [];
  let { position } = walk;
  let read = 0;
  for (let size = sizes.first; ; ) {
    const startedAt = performance.now();
    const part = await readPart(db, { ...walk, position }, { size, max: pageSize + 1 });
    rows.push(...part.rows);
    // The events up to the last one that is shown were not counted.
    const last = rows[pageSize - 1];
    if (rows.length > pageSize && last) {
      const reach = { ...last, createdAt: last.capturedAt };
      return { rows: rows.slice(0, pageSize), read: undefined, reach };
    }
    if (!part.reach) return { rows, read: read + size };
    read += size;
    position = behind(part.reach);
    const now = performance.now();
    if (now - began > readMs - statementMs) return { rows, read, reach: part.reach };
    const scaled = (size * statementMs) / Math.max(1, now - startedAt);
    size = Math.round(Math.min(sizes.max, Math.max(100, Math.min(scaled, size * 8))));
  }
}
