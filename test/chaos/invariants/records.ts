import type { Seen, Violation } from '../seen.ts';

/** Each event is closed in the end. */
export function findStuck({ events }: Seen): Violation[] {
  return events
    .filter(({ status }) => status === 'PENDING' || status === 'PROCESSING')
    .map(({ id, status }) => ({ row: id, text: `${id} is ${status} long after the last fault` }));
}

/** The counts of the product are those of its rows. */
export function findMiscounts({ counts, ledger }: Seen): Violation[] {
  return counts
    .filter(({ name, counted, actual }) =>
      // Captures count, whatever is deleted later.
      name === 'captures'
        ? BigInt(counted) < BigInt(actual) || BigInt(counted) > BigInt(actual) + BigInt(ledger.deleted.size)
        : counted !== actual,
    )
    .map(({ name, counted, actual }) => ({ text: `${name}: counted ${counted}, and there are ${actual}` }));
}

/**
 * Each action that was answered is in the audit, with each event that it changed, unless it had no effect,
 * and no event is discarded without one.
 */
export function findUnaudited({ ledger, audit, events, discards }: Seen): Violation[] {
  const byReason = new Map(audit.map((each) => [each.reason, each]));
  const missing = ledger.actions.flatMap(({ reason, action, answer }) => {
    if (!answer || (answer.changed === 0 && !answer.auditId)) return [];
    const entry = byReason.get(reason);
    if (!entry) return [{ text: `${reason} is not in the audit` }];
    const { changed } = answer;
    if (changed === undefined || changed === entry.events) return [];
    return [{ text: `${action} ${entry.id} changed ${changed} events, and the audit has ${entry.events}` }];
  });
  const silent = events
    .filter(({ id, status }) => status === 'DISCARDED' && !discards.has(id))
    .map(({ id }) => ({ row: id, text: `${id} is DISCARDED, and the audit has no action` }));
  return [...missing, ...silent];
}
