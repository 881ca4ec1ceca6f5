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

/** Something that a person did to an event. */
export type EventAct = {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly act: string;
  readonly reason: string | null;
  readonly run_id: string | null;
  readonly details: Readonly<Record<string, unknown>>;
};

export const listEventActs = statement<{ eventId: string; most: number }, EventAct>('list-event-acts');
