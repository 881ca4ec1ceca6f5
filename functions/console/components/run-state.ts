import type { describeRun } from '../../../shared/replay/list-runs.ts';
import type { Html } from '../html.ts';
import { mark } from './status.ts';

/** Whether a run is running, paused or ended, and with which result. */
export function runState({ state, stopped, progress }: ReturnType<typeof describeRun>): Html {
  if (state === 'running') return mark('running', 'busy', 'running');
  if (state === 'paused') return mark('paused', 'waiting', 'paused');
  if (stopped === 'cancelled') return mark('discarded', 'quiet', 'cancelled');
  if (progress.failed > 0) return mark('failed', 'bad', 'done, with failures');
  return mark('succeeded', 'good', stopped ?? 'done');
}
