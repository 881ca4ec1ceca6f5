-- The number of events in :statuses, of types like one of :types and in one of the groups :fingerprints; null
-- for any. There may be a million deltas: each is read once, and not once for each status.
select coalesce(sum(pending * ('PENDING' = any (:statuses::text[]))::int
  + processing * ('PROCESSING' = any (:statuses))::int + succeeded * ('SUCCEEDED' = any (:statuses))::int
  + failed_permanently * ('FAILED_PERMANENTLY' = any (:statuses))::int
  + discarded * ('DISCARDED' = any (:statuses))::int), 0)::float as events
from dlq_counts_exact
where hour is null and (:types::text[] is null or event_type like any (:types))
  and (:fingerprints::text[] is null or fingerprint = any (:fingerprints));
