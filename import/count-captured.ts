import type { Captured } from './send-lines.ts';

/** Events by what capture did with them. */
export type Counts = { new: number; known: number; conflicting: number };

/** Adds the events of a batch. Changes `counts`. */
export function countCaptured(counts: Counts, events: readonly Captured[]): void {
  for (const { isNew, conflict } of events) {
    if (isNew) counts.new += 1;
    else counts.known += 1;
    if (conflict !== undefined) counts.conflicting += 1;
  }
}

/** `12 events: 10 new, 2 known already, 1 with the id of another event`. */
export function describeCounts(counts: Counts): string {
  const events = counts.new + counts.known;
  const conflicting =
    counts.conflicting > 0 ? `, ${show(counts.conflicting)} with the id of another event` : '';
  return `${show(events, 'event')}: ${show(counts.new)} new, ${show(counts.known)} known already${conflicting}`;
}

/** A number for people, and its noun. */
export function show(count: number, noun = ''): string {
  const number = count.toLocaleString('en');
  return noun === '' ? number : `${number} ${count === 1 ? noun : `${noun}s`}`;
}
