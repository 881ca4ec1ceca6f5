import { statement } from '../database/statement.ts';
import type { Tallies } from '../delivery/tally.ts';

/** `stopped`: why it ended, or that its workers ended before it did; null while it runs. */
export type Tick = Readonly<{ id: string; startedAt: Date; endedAt: Date | null; stopped: string | null }> & {
  readonly tally: Partial<Tallies['all']>;
  readonly targets: Tallies['targets'];
};

export const listTicks = statement<{ before: string; limit: number }, Tick>('list-ticks');

export const listBusyTicks = statement<{ before: string; limit: number }, Tick>('list-busy-ticks');
