import { statement } from '../../../shared/sql.ts';
import { type Html, html } from '../html.ts';
import { mark } from '../parts/status.ts';

/** What is known of a target that has failed. */
export type Breaker = {
  readonly target: string;
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  readonly consecutive_failures: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly opened_at: Date | null;
  readonly probe_after: Date | null;
  readonly updated_at: Date;
};

export const listBreakers = statement<Record<string, never>, Breaker>('list-breakers');

/** Whether a target is delivered to. */
export function breakerState(breaker: Breaker | undefined): Html {
  if (!breaker || breaker.state === 'CLOSED') return mark('succeeded', 'good', 'up');
  if (breaker.state === 'HALF_OPEN') return mark('processing', 'waiting', 'being probed');
  return html`${mark('failed', 'bad', 'down')}`;
}
