-- Changes of the events of each of :types so far, and its events now by status. All other types, if
-- there are any, are one, `other`: all but those of :types. The row without a type is about all of them.
with labeled as (
  select
    side.event_type, sum(times * captures)::float8 as total,
    sum(times * recurrences)::float8 as recurrences_total,
    sum(times * retry_failures)::float8 as retry_failures_total,
    sum(times * deliveries)::float8 as deliveries_total,
    sum(times * permanent_failures)::float8 as permanent_failures_total,
    sum(times * discards)::float8 as discards_total,
    sum(times * conflicts)::float8 as identity_conflicts_total,
    coalesce(sum(times * pending), 0)::float8 as depth_pending,
    coalesce(sum(times * processing), 0)::float8 as depth_processing,
    coalesce(sum(times * succeeded), 0)::float8 as depth_succeeded,
    coalesce(sum(times * failed_permanently), 0)::float8 as depth_failed_permanently,
    coalesce(sum(times * discarded), 0)::float8 as depth_discarded
  from (
    select event_type, {totalSums} from dlq_counts_totals
    where hour is null and event_type = any (:types::text[]) group by event_type
    union all
    select null, {totalSums} from dlq_counts_totals where hour is null and event_type is null
  ) as counted
  cross join lateral (values
    (counted.event_type, 1), ('other', case when counted.event_type is null then 1 else -1 end)
  ) as side (event_type, times)
  where :hasOthers or side.event_type is distinct from 'other'
  group by side.event_type
)
select labeled.*, status, events
from labeled
cross join lateral (values
  (null, null), ('PENDING', depth_pending), ('PROCESSING', depth_processing), ('SUCCEEDED', depth_succeeded),
  ('FAILED_PERMANENTLY', depth_failed_permanently), ('DISCARDED', depth_discarded)
) as by_status (status, events);
