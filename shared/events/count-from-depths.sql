-- The number of events in :statuses, of types like one of :types and in one of the groups :fingerprints
-- (null: any).
select coalesce(sum(events), 0)::float as events
from dlq_counts_exact
cross join lateral (values
  ('PENDING', pending), ('PROCESSING', processing), ('SUCCEEDED', succeeded),
  ('FAILED_PERMANENTLY', failed_permanently), ('DISCARDED', discarded)
) as by_status (status, events)
where hour is null and status = any (:statuses::text[]) and event_type like any (:types::text[])
  and (:fingerprints::text[] is null or fingerprint = any (:fingerprints));
