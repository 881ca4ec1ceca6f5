import { statement } from '../../../shared/sql.ts';

export type Attempt = {
  readonly id: string;
  readonly run_id: string | null;
  readonly number: number;
  readonly outcome: 'delivered' | 'transient' | 'permanent' | 'ambiguous' | 'lost';
  readonly target: string;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
};

export const listAttempts = statement<{ eventId: string; most: number }, Attempt>('list-attempts');
