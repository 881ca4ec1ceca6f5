import { statement } from './sql.ts';

/** Nothing comes back while another tick is at work. */
export const openTick = statement<
  { aliveSeconds: number },
  { readonly id: string; readonly started_at: string }
>('open-tick');

export const keepRunAlive = statement<{ id: string; aliveSeconds: number }, never>('keep-run-alive');

export const closeRun = statement<{ id: string; stopped: string; tally: string; targets: string }, never>(
  'close-run',
);
