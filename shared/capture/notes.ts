import type { Facts } from './facts.ts';

/** Notes that are null or empty say nothing. */
export function addNotes(
  metadata: Facts['metadata'] | undefined,
  notes: Readonly<Record<string, unknown>>,
): Facts['metadata'] {
  const told = Object.entries(notes).filter(([, note]) => Object.keys(Object(note)).length > 0);
  return told.length === 0 ? (metadata ?? null) : { ...metadata, ...Object.fromEntries(told) };
}

/** A note, because a delivery replaces the event's own kind and time, an operator its priority. */
export function listDecision(facts: Omit<Facts, 'topicType'>) {
  const { errorKind: kind, retryAfter, maxRetries, priority } = facts;
  const all = Object.entries({ kind, retryAfter, maxRetries, priority });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
