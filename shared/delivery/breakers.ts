import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Route } from './routes.ts';
import { nameTarget } from './targets/target-kinds.ts';

/** When an operator held something, who, why and until when; null while deliveries may go on. */
export type Hold = {
  readonly heldAt: Date | null;
  readonly heldBy: string | null;
  readonly heldReason: string | null;
  readonly heldUntil: Date | null;
};

/** The breaker of a target that has failed or was held at least once. */
export type Breaker = Hold & {
  readonly target: string;
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  readonly deliveries: number;
  readonly openedAt: Date | null;
  readonly probeAfter: Date | null;
  /** A target that said "too many": until when it gets nothing. */
  readonly pausedUntil: Date | null;
  /** Of a target that came back: what it gets in each second from now on, until it has its rate again. */
  readonly ramp: readonly number[] | null;
};

/** The breakers of targets, by their names. */
export type Breakers = ReadonlyMap<string, Breaker>;

const listBreakers = statement<Record<string, never>, Breaker>('list-breakers');

/** Reads the breakers of all targets that have failed or were held at least once. */
export async function readBreakers(db: Database): Promise<Breakers> {
  return new Map((await listBreakers(db, {})).map((breaker) => [breaker.target, breaker]));
}

/** The name of the hold that pauses ticks, and no replay. */
export const theSchedule = 'schedule';

/** Finds the hold of a target, or that of the schedule; without a name all. No row if there is none now. */
export const findHold = statement<{ name: string | null }, Hold>('find-hold');

/** The hold that pauses the schedule now, if there is one. */
export async function findPause(db: Database): Promise<Hold | undefined> {
  return (await findHold(db, { name: theSchedule }))[0];
}

type Purged = { readonly breakers: number };
const purge = statement<{ targets: readonly string[] }, Purged>('purge-breakers');

/** Deletes the breakers and rate limits that are of no use any more. Returns the number of deleted rows. */
export async function purgeBreakers(db: Database, routes: readonly Route[]): Promise<Purged> {
  const targets = routes.map(({ target }) => nameTarget(target));
  return (await purge(db, { targets }))[0] ?? { breakers: 0 };
}
