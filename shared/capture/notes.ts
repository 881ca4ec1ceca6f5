import type { Facts } from './facts.ts';

/** Metadata with what capture has to say of a message: notes that are null or empty say nothing. */
export function addNotes(
  metadata: Facts['metadata'] | undefined,
  notes: Readonly<Record<string, unknown>>,
): Facts['metadata'] {
  const told = Object.entries(notes).filter(([, note]) => Object.keys(Object(note)).length > 0);
  return told.length === 0 ? (metadata ?? null) : { ...metadata, ...Object.fromEntries(told) };
}

/**
 * The consumer's decision, as a note under the names of a report: a delivery replaces the kind and the time
 * of the event, an operator its priority.
 */
export function listDecision({
  errorKind: kind,
  retryAfter,
  maxRetries,
  priority,
}: Pick<Facts, 'errorKind' | 'retryAfter' | 'maxRetries' | 'priority'>) {
  const all = Object.entries({ kind, retryAfter, maxRetries, priority });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}
