import { toPublication } from '../../shared/capture/identity.ts';
import type { Capture } from '../../shared/capture/message.ts';
import { type StoreDeps, type Stored, storeCaptures } from '../../shared/capture/store-captures.ts';
import { aCapture } from './captures.ts';
import type { TestDatabase } from './database.ts';
import { redelivery } from './redelivery.ts';

/** The state of an event that captures and deliveries change. */
export type EventState = {
  readonly id: string;
  readonly status: string;
  readonly failures: number;
  readonly retries: number;
  readonly deliveries: number;
  readonly reason: string;
  readonly payload: unknown;
};

/**
 * Days of one table of events, in minutes since they began. Time passes as data: each stored time moves back,
 * and the times that captures tell are relative to the minute that it is.
 */
export function openDays(database: () => TestDatabase, limits: Partial<StoreDeps> = {}) {
  let minute = 0;
  let start = Date.now();
  const at = (minutes: number) => new Date(start + (minutes - minute) * 60_000);

  return {
    now: () => minute,
    at,

    /** Begins anew, without any event. */
    async begin(): Promise<void> {
      [minute, start] = [0, Date.now()];
      await database().sql('truncate dlq_events, dlq_captures, dlq_attempts, dlq_leases');
    },

    /** Moves every time of events, captures and attempts back. */
    async pass(minutes: number): Promise<void> {
      minute += minutes;
      const by = `make_interval(mins => ${minutes})`;
      const move = (publication: string) => `case when ${publication} ~ '^\\d'
        then split_part(${publication}, '@', 1)::bigint - ${minutes * 60_000} || '@' || split_part(${publication}, '@', 2)
        else ${publication} end`;
      await database().sql(
        `do $$ begin
          set local session_replication_role = replica;
          update dlq_events set created_at = created_at - ${by}, first_failure_at = first_failure_at - ${by},
            last_failure_at = last_failure_at - ${by}, retry_after = retry_after - ${by}, updated_at = updated_at - ${by},
            processed_at = processed_at - ${by}, arrival = jsonb_strip_nulls(
              arrival || jsonb_build_object('publication', ${move("(arrival ->> 'publication')")}));
          update dlq_captures set captured_at = captured_at - ${by}, failed_at = failed_at - ${by},
            publication = ${move('publication')};
          update dlq_attempts set started_at = started_at - ${by};
        end $$`,
      );
    },

    /** The publication that failed: its time, in minutes, and its coordinates. */
    publication(published: number | null, coordinates?: string): string | null {
      return toPublication(published === null ? null : at(published), coordinates ?? null);
    },

    /** A capture of order-1; `failed` is the minute of its failure, if told. */
    async capture(facts: Partial<Capture> = {}, failed?: number): Promise<Stored> {
      const [stored] = await this.captureAll([
        { ...facts, failedAt: failed === undefined ? null : at(failed) },
      ]);
      if (!stored) throw new Error('The capture has no result.');
      return stored;
    },

    captureAll(captures: readonly Partial<Capture>[]): Promise<Stored[]> {
      const deps = { db: database().db, repeatSeconds: 600, ...limits };
      return storeCaptures(
        deps,
        captures.map((facts) => aCapture(facts)),
      );
    },

    /** The token of a redelivery of an event, with the number of the delivery. */
    async redelivered(id: string, attempt?: number): Promise<Partial<Capture>> {
      const [row] = await database().sql<{ redelivery: string; deliveries: number }>(
        `select ${redelivery} as redelivery, delivery_count as deliveries from dlq_events where id = $1`,
        [id],
      );
      return { redelivery: row?.redelivery ?? null, attempt: attempt ?? row?.deliveries ?? null };
    },

    /** A delivery of events as the schedule and replays make it: the target accepts it, or answers 503. */
    async deliver(ids: string | readonly string[], isAccepted = true): Promise<void> {
      await database().sql(
        `with delivered as (
          update dlq_events
          set status = case when $2 then 'SUCCEEDED' else 'PENDING' end, processed_at = case when $2 then now() end,
            delivery_count = delivery_count + 1, retry_count = retry_count + (not $2)::int,
            failed_delivery = case when $2 then failed_delivery else delivery_count + 1 end, updated_at = now()
          where id = any ($1)
          returning id, delivery_count
        )
        insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, error)
        select id, delivery_count, case when $2 then 'delivered' else 'transient' end, 'orders', now(), 1,
          case when not $2 then 'HTTP 503' end
        from delivered`,
        [[ids].flat(), isAccepted],
      );
    },

    /** An operator sets the status of events, or changes their payload, in SQL. */
    async operate(ids: readonly string[], action: string): Promise<void> {
      const change = action === 'edited' ? `payload = payload || '{"edited": true}'` : 'status = $2';
      const values = action === 'edited' ? [ids] : [ids, action];
      await database().sql(
        `update dlq_events set ${change} where id = any ($1) and status <> 'PROCESSING'`,
        values,
      );
    },

    async show(id: string): Promise<EventState> {
      const [event] = await database().sql<EventState>(
        `select id, status, failure_count as failures, retry_count as retries, delivery_count as deliveries,
          error_reason as reason, payload from dlq_events where id = $1`,
        [id],
      );
      if (!event) throw new Error(`There is no event ${id}.`);
      return event;
    },
  };
}
