import { statement } from '../database/statement.ts';
import type { Tally } from '../delivery/tally.ts';

/** One retry tick. */
export type Tick = {
  readonly id: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly stopped: string | null;
  readonly tally: Partial<Tally>;
  readonly targets: Readonly<Record<string, Partial<Tally>>>;
};

export const listTicks = statement<{ before: string; limit: number }, Tick>('list-ticks', import.meta.url);

/** Lists ticks that claimed events or are still running. */
export const listBusyTicks = statement<{ before: string; limit: number }, Tick>(
  'list-busy-ticks',
  import.meta.url,
);
