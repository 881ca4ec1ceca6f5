import type { Deployment } from './deployment.ts';
import type { Ledger } from './ledger.ts';

/** An event as it is stored at the end. */
export type StoredEvent = {
  readonly id: string;
  readonly name: string | null;
  readonly digest: string;
  readonly status: string;
  readonly lane: string;
  readonly source_key: string | null;
};

export type StoredAttempt = {
  readonly event_id: string;
  readonly outcome: string;
  readonly response: string | null;
  /** When its worker began it, in ms since the epoch. */
  readonly at: number;
  readonly error: string | null;
};

/** Everything that invariants compare: what was seen from outside, and what is stored at the end. */
export type Seen = {
  readonly ledger: Ledger;
  readonly events: readonly StoredEvent[];
  readonly attempts: readonly StoredAttempt[];
  readonly audit: readonly { readonly id: string; readonly reason: string | null; readonly events: number }[];
  /** Ids of events that an entry of the audit names. */
  readonly discards: ReadonlySet<string>;
  /** Counts that should be equal: what the product counts, and what its rows say. */
  readonly counts: readonly { readonly name: string; readonly counted: string; readonly actual: string }[];
};

/** Why an invariant is broken, with ids. */
export type Violation = { readonly row?: string; readonly text: string };

export async function look({ server: { sql }, ledger }: Deployment): Promise<Seen> {
  const events = await sql<StoredEvent>(
    `select id, payload ->> 'name' as name, encode(sha256(body), 'hex') as digest, status, lane, source_key
     from dlq_events where edited_from is null order by id`,
  );
  const attempts = await sql<StoredAttempt>(
    `select event_id, outcome, split_part(response_body, ' ', 1) as response,
       extract(epoch from started_at)::float8 * 1000 as at, error
     from dlq_attempts order by id`,
  );
  const audit = await sql<Seen['audit'][number]>(
    `select id, reason, (select count(*)::int from dlq_audit_events where audit_id = dlq_audit.id) as events from dlq_audit`,
  );
  const discards = await sql<{ event_id: string }>(
    `select changed.event_id from dlq_audit_events as changed join dlq_audit on id = audit_id where action in ('discard', 'edit')`,
  );
  const counts = await sql<Seen['counts'][number]>(
    `select format('%s, %s', event_type, status) as name, coalesce(counted, 0) as counted, coalesce(actual, 0) as actual
     from (
       select event_type, status, sum(events) as counted
       from dlq_depths
       cross join lateral (values ('PENDING', pending), ('PROCESSING', processing), ('SUCCEEDED', succeeded),
         ('FAILED_PERMANENTLY', failed_permanently), ('DISCARDED', discarded)) as depth (status, events)
       group by event_type, status
       having sum(events) <> 0
     ) as depths
     full join (select event_type, status, count(*) as actual from dlq_events group by event_type, status) as rows
       using (event_type, status)
     union all
     select 'captures', (select sum(captures) from dlq_counts_by_hour), (select count(*) from dlq_events where edited_from is null)
     union all
     select format('replay %s, %s', id, outcome), counted, count(run_id)
     from dlq_runs
     cross join lateral (values ('delivered', delivered), ('failed', failed), ('skipped', skipped), ('waiting', waiting))
       as progress (outcome, counted)
     left join dlq_run_events using (outcome)
     where trigger = 'replay' and (run_id is null or run_id = dlq_runs.id)
     group by id, outcome, counted`,
  );
  return {
    ledger,
    events,
    attempts,
    audit,
    discards: new Set(discards.map((each) => each.event_id)),
    counts,
  };
}
