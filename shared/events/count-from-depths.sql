-- The number of events in :statuses, of types like one of :types and in one of the groups :fingerprints
-- (null: any), and of those that are being delivered, without those of them, which {filter} matches, that
-- were captured at :since or later.
with later as materialized (select * from dlq_events where created_at >= :since::timestamptz)
select
  (coalesce(sum(events), 0) - (select count(*) from later as event where {filter}))::float as events,
  (
    coalesce(sum(events) filter (where status = 'PROCESSING' and lease_expires_at > now()), 0)
    - (
      select count(*) from later as event
      where ({filter}) and status = 'PROCESSING' and lease_expires_at > now()
    )
  )::float as leased
from dlq_counts_current_exact
cross join lateral (values
  ('PENDING', pending), ('PROCESSING', processing), ('SUCCEEDED', succeeded),
  ('FAILED_PERMANENTLY', failed_permanently), ('DISCARDED', discarded)
) as by_status (status, events)
where status = any (:statuses::text[]) and (:types::text[] is null or event_type like any (:types))
  and (:fingerprints::text[] is null or fingerprint = any (:fingerprints));
