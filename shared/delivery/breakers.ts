import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { NotFoundError } from '../errors.ts';
import { breakerTerms } from './breaker-terms.ts';
import { listTargetNames, type Route } from './routes.ts';

/** Null while deliveries may go on. */
export type Hold = {
  readonly heldAt: Date | null;
  readonly heldBy: string | null;
  readonly heldReason: string | null;
  readonly heldUntil: Date | null;
};

export type Breaker = Hold & {
  readonly target: string;
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  /** What the schedule does with it. One that has closed gets all of its events, slowly. */
  readonly turn: 'open' | 'probe' | 'down' | 'paused' | 'held';
  readonly openedAt: Date | null;
  readonly probeAfter: Date | null;
  readonly pausedUntil: Date | null;
};

export type Breakers = ReadonlyMap<string, Breaker>;

const listBreakers = statement<Record<string, never>, Breaker>('list-breakers', breakerTerms);

/** Reads the breakers of all targets that have failed or were held at least once. */
export async function readBreakers(db: Database): Promise<Breakers> {
  return new Map((await listBreakers(db, {})).map((breaker) => [breaker.target, breaker]));
}

/** The turn of a target: `because` of its hold, `until` that or its pause ends, or a probe may go. */
export function turnOf(breaker: Breaker | undefined) {
  const { turn = 'open', probeAfter, pausedUntil, heldUntil, heldBy, heldReason } = breaker ?? {};
  const ends = { down: probeAfter, probe: probeAfter, paused: pausedUntil, held: heldUntil, open: null };
  const because = turn === 'held' ? `${heldBy}: ${heldReason}` : null;
  return { state: turn, because, until: ends[turn] ?? null };
}

/** The targets of all routes, and those that are held without one: first those that get nothing now. */
export function listKnownTargets(routes: readonly Route[], breakers: Breakers): string[] {
  const held = [...breakers.values()].filter(({ heldAt }) => heldAt !== null);
  const known = new Set([...listTargetNames(routes), ...held.map(({ target }) => target)]);
  const isOpen = (target: string) => turnOf(breakers.get(target)).state === 'open';
  return [...known].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)));
}

/** Throws NotFoundError unless a target is one of some. */
export function assertTarget(known: readonly string[], name: string): void {
  if (!known.includes(name)) throw new NotFoundError(`No route has the target ${name.slice(0, 200)}.`);
}

/** The name of the hold that pauses ticks, and no replay. */
export const theSchedule = 'schedule';

/** The hold of a target, or of the schedule; without a name all. No row if there is none now. */
export const findHold = statement<{ name: string | null }, Hold>('find-hold');

const switchedOff: Omit<Hold, 'heldAt'> = {
  heldBy: 'RETRY_ENABLED=false',
  heldReason: 'the configuration has switched retries off',
  heldUntil: null,
};

/** What pauses the schedule now: an operator, or RETRY_ENABLED, which maintain does not know. */
export async function findPause({ db, retry }: Pausable) {
  return retry?.enabled === false ? switchedOff : (await findHold(db, { name: theSchedule }))[0];
}

export type Pausable = { readonly db: Database; readonly retry?: { readonly enabled: boolean } };

type Purged = { readonly breakers: number };
const purge = statement<{ targets: readonly string[] }, Purged>('purge-breakers');

/** Returns the number of deleted rows. */
export async function purgeBreakers(db: Database, routes: readonly Route[]): Promise<Purged> {
  return (await purge(db, { targets: listTargetNames(routes) }))[0] ?? { breakers: 0 };
}
