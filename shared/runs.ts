import { statement } from './sql.ts';

export const openRun = statement<
  { trigger: 'schedule' | 'replay' },
  { readonly id: string; readonly started_at: string }
>('open-run');

export const closeRun = statement<{ id: string; stopped: string; tally: string }, never>('close-run');
