import type { Facts } from './message.ts';

/** How the consumer wants its failure to be retried, under the names of a report. */
type Decision = Pick<Facts, 'errorKind' | 'retryAfter' | 'maxRetries' | 'priority'>;

/**
 * Metadata that keeps the consumer's decision, `decided`: a delivery replaces the kind and the time of the event, an operator
 * its priority.
 */
export function addDecision(metadata: Facts['metadata'], decision: Decision): Facts['metadata'] {
  const { errorKind: kind, retryAfter, maxRetries, priority } = decision;
  const decided = Object.entries({ kind, retryAfter, maxRetries, priority }).filter(
    ([, value]) => value !== null,
  );
  return decided.length === 0 ? metadata : { ...metadata, decided: Object.fromEntries(decided) };
}
