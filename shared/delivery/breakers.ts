import { statement } from '../database/statement.ts';

/** The breaker of a target that has failed or was held at least once. */
export type Breaker = {
  readonly target: string;
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  readonly consecutiveFailures: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly openedAt: Date | null;
  readonly probeAfter: Date | null;
  /** When an operator held the target, who and why; null while deliveries may go to it. */
  readonly heldAt: Date | null;
  readonly heldBy: string | null;
  readonly heldReason: string | null;
};

/** Lists the targets whose breaker has closed, and to which the present second may allow no more deliveries. */
export const listRamps = statement<Record<string, never>, { readonly target: string }>(
  'list-ramps',
  import.meta.url,
);

export const listBreakers = statement<Record<string, never>, Breaker>('list-breakers', import.meta.url);
