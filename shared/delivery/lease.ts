import { randomUUID } from 'node:crypto';
import { statement } from '../database/statement.ts';
import type { Status } from '../message/event.ts';
import type { Dealt } from './deal.ts';
import type { ClaimedEvent } from './leased-event.ts';
import type { Lease, Leased, Terms } from './picker.ts';
import { againLost } from './recover.ts';
import type { Work } from './work-state.ts';

type Row = ClaimedEvent & {
  readonly answer: string | null;
  readonly status: Status;
  /** Text: a Date loses the microseconds. */
  readonly processedAt: string | null;
  readonly leasedAt: number;
};

export const leaseEvents = statement<
  {
    runId: string | null;
    events: readonly { readonly id: string; readonly isOrdered: boolean }[];
    dueAt: string | null;
    upTo: number | null;
    leaseToken: string;
    leaseSeconds: number;
  },
  Row
>('lease-events');

/** Leases the events that are still as they were picked. Throws DatabaseUnavailableError. */
export async function lease(
  { runId, deps }: Pick<Work, 'runId' | 'deps'>,
  dealt: readonly Dealt[],
  { upTo, dueAt, isRedirected = false }: Terms,
): Promise<Leased[]> {
  if (dealt.length === 0) return [];
  const { leaseSeconds } = deps.retry;
  // It starts before its statement, so that it ends here before it ends in the database.
  const lease: Lease = { token: randomUUID(), endsAt: Date.now() + leaseSeconds * 1000 };
  // Each once: the next event of a key may be found as its first one, and as the follower of another.
  const groups = new Map(dealt.map(({ id, group }) => [id, group]));
  const rows = await leaseEvents(deps.db, {
    runId,
    events: [...groups].map(([id, { isOrdered }]) => ({ id, isOrdered })),
    dueAt: dueAt ?? null,
    upTo: upTo ?? null,
    leaseToken: lease.token,
    leaseSeconds,
  });
  return rows.flatMap(({ answer, status, processedAt, leasedAt, ...event }): Leased[] => {
    const group = groups.get(event.id);
    if (!group) return [];
    const before = { status, processedAt };
    const { route, target, cause, kind } = group;
    const facts = { route, target, cause, kind, isSuspect: answer === againLost };
    return [{ event, lease, leasedAt, before, isRedirected, ...facts }];
  });
}
