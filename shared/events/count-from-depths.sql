-- The number of events in :statuses, of types like one of :types and in one of the groups :fingerprints
-- (null: any), and of those that are being delivered, without those of them, which {filter} matches, that
-- were captured at :since or later.
with later as materialized (select * from dlq_events where created_at >= :since::timestamptz)
select
  (coalesce(sum(
    case when 'PENDING' = any (:statuses::text[]) then pending else 0 end
      + case when 'PROCESSING' = any (:statuses::text[]) then processing else 0 end
      + case when 'SUCCEEDED' = any (:statuses::text[]) then succeeded else 0 end
      + case when 'FAILED_PERMANENTLY' = any (:statuses::text[]) then failed_permanently else 0 end
      + case when 'DISCARDED' = any (:statuses::text[]) then discarded else 0 end
  ), 0) - (select count(*) from later as event where {filter}))::float as events,
  (
    coalesce(sum(processing)
      filter (where 'PROCESSING' = any (:statuses::text[]) and lease_expires_at > now()), 0)
    - (
      select count(*) from later as event
      where ({filter}) and status = 'PROCESSING' and lease_expires_at > now()
    )
  )::float as leased
from dlq_counts_current_exact
where (:types::text[] is null or event_type like any (:types))
  and (:fingerprints::text[] is null or fingerprint = any (:fingerprints));
