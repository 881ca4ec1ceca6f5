import type { Breaker } from '../../../shared/delivery/breakers.ts';
import type { Html } from '../html.ts';
import { mark } from './status.ts';

/** Whether the breaker of a target lets deliveries through. A target without a breaker is up. */
export function breakerState(breaker: Breaker | undefined): Html {
  if (!breaker || breaker.state === 'CLOSED') return mark('succeeded', 'good', 'up');
  if (breaker.state === 'HALF_OPEN') return mark('processing', 'waiting', 'probing');
  return mark('failed', 'bad', 'down');
}
