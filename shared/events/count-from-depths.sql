-- The number of events in :statuses, of types like one of :types and in one of the groups :fingerprints
-- (null: any), and of those that are being delivered, without those of them, which {filter} matches, that
-- were captured at :since or later. No worker delivers an event whose lease has expired.
with later as materialized (select * from dlq_events where created_at >= :since::timestamptz),
expired as materialized (
  select event.*
  from dlq_leases
  cross join lateral unnest(event_ids) as leased (event_id)
  cross join lateral (
    select * from dlq_events
    where id = leased.event_id and lease_token = token and lease_expires_at <= now() offset 0
  ) as event
  where target is null and leased_at <= now() - make_interval(secs => seconds)
    and (created_at >= :since::timestamptz) is not true
)
select
  (coalesce(sum(events), 0) - (select count(*) from later as event where {filter}))::float as events,
  (
    coalesce(sum(events) filter (where status = 'PROCESSING'), 0)
    - (select count(*) from later as event where ({filter}) and status = 'PROCESSING')
    - (select count(distinct id) from expired as event where {filter})
  )::float as leased
from dlq_counts_exact
cross join lateral (values
  ('PENDING', pending), ('PROCESSING', processing), ('SUCCEEDED', succeeded),
  ('FAILED_PERMANENTLY', failed_permanently), ('DISCARDED', discarded)
) as by_status (status, events)
where hour is null and status = any (:statuses::text[]) and event_type like any (:types::text[])
  and (:fingerprints::text[] is null or fingerprint = any (:fingerprints));
