-- Each event type, in the order in which types were first seen: its events now by status, its lifetime counts, and the age of
-- its oldest open event, by one index lookup for each type that has any.
with depths as (
  select
    event_type, sum(pending) as pending, sum(processing) as processing, sum(succeeded) as succeeded,
    sum(failed_permanently) as failed_permanently, sum(discarded) as discarded
  from dlq_depths
  group by event_type
),
counters as (
  select
    event_type, min(id) as id, sum(captures) as captures, sum(recurrences) as recurrences,
    sum(retry_failures) as retry_failures, sum(deliveries) as deliveries, sum(permanent_failures) as permanent_failures,
    sum(discards) as discards, sum(conflicts) as conflicts
  from (
    select id, event_type, captures, recurrences, retry_failures, deliveries, permanent_failures, discards,
      conflicts
    from dlq_counts_lifetime
    union all
    select null, event_type, captures, recurrences, retry_failures, deliveries, permanent_failures, discards,
      conflicts
    from dlq_count_deltas
  ) as sums
  group by event_type
)
select
  event_type, coalesce(pending, 0)::float8 as pending, coalesce(processing, 0)::float8 as processing,
  coalesce(succeeded, 0)::float8 as succeeded, coalesce(failed_permanently, 0)::float8 as failed_permanently,
  coalesce(discarded, 0)::float8 as discarded, coalesce(captures, 0)::float8 as captures,
  coalesce(recurrences, 0)::float8 as recurrences, coalesce(retry_failures, 0)::float8 as retry_failures,
  coalesce(deliveries, 0)::float8 as deliveries, coalesce(permanent_failures, 0)::float8 as permanent_failures,
  coalesce(discards, 0)::float8 as discards, coalesce(conflicts, 0)::float8 as conflicts,
  coalesce(extract(epoch from now() - oldest.created_at), 0)::float8 as age_seconds
from depths
full join counters using (event_type)
left join lateral (
  select created_at
  from dlq_events
  where dlq_events.event_type = depths.event_type and processed_at is null
  order by created_at
  limit 1
) as oldest on pending + processing > 0
order by counters.id, event_type;
