import { statement } from '../database/statement.ts';
import { isAlive } from '../delivery/slots.ts';
import type { Tallies } from '../delivery/tally.ts';

/** `stopped`: why it ended, or that its workers ended before it did; null while it runs. */
export type Tick = Readonly<{ id: string; startedAt: Date; endedAt: Date | null; stopped: string | null }> & {
  readonly tally: Partial<Tallies['all']>;
  readonly targets: Tallies['targets'];
};

/** The columns of a Tick, as SQL. */
export const tickColumns = `id, started_at, ended_at, tally, targets,
  case when ended_at is null and not exists (
    select from dlq_run_workers as worker where run_id = dlq_runs.id and ${isAlive}
  ) then 'interrupted: the next tick goes on' else stopped end as stopped`;

type Page = { readonly before: string; readonly limit: number };
export const listTicks = statement<Page, Tick>('list-ticks', { tickColumns });
export const listBusyTicks = statement<Page, Tick>('list-busy-ticks', { tickColumns });
