import { statement } from './sql.ts';
import type { Tallies } from './tally.ts';

/** What a run was opened by. */
export type Trigger = 'schedule' | 'replay';

/** The tick that is open now, and whether the caller is its first worker, in slot 1. */
export const openTick = statement<
  { token: string; workers: number; aliveSeconds: number; allowance: number | null },
  { readonly id: string; readonly due_at: string; readonly is_ours: boolean }
>('open-tick');

export const closeRun = statement<{ id: string; stopped: string; tally: string; targets: string }, never>(
  'close-run',
);

/** Nothing comes back while others work on it, or if it was closed before. */
export const closeIdleRun = statement<
  { runId: string; stopped: string },
  { readonly tally: Tallies['all']; readonly targets: Tallies['targets'] }
>('close-idle-run');

/** `granted` is null where the run has no limit. */
export const takeAllowance = statement<
  { runId: string; wanted: number },
  { readonly granted: number | null }
>('take-allowance');
