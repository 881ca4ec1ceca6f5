import type { describeRun } from '../../replay/runs/describe-run.ts';
import type { showRun } from '../../replay/runs/show-run.ts';
import type { Html } from '../html.ts';
import { mark } from '../parts/status.ts';

export type DescribedRun = ReturnType<typeof describeRun>;

/** A run with everything that its page says. */
export type ShownRun = Awaited<ReturnType<typeof showRun>>;

/** Whether a run goes on, waits for a person, or is over, and how. */
export function runState({ state, stopped, progress }: DescribedRun): Html {
  if (state === 'running') return mark('running', 'busy', 'running');
  if (state === 'paused') return mark('paused', 'waiting', 'paused');
  if (stopped === 'cancelled') return mark('discarded', 'quiet', 'cancelled');
  if (progress.failed > 0) return mark('failed', 'bad', 'done, with failures');
  return mark('succeeded', 'good', stopped ?? 'done');
}
