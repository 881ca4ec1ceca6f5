-- Each event type, in the order in which types were first counted: its events now by status, what happened to
-- them so far, and the age of its oldest open event that does not fail by itself: one index lookup for each
-- type that has any, and those that fail are read over.
with types as (
  select
    event_type, min(counted_since) as counted_since,
    sum(pending)::float8 as pending, sum(processing)::float8 as processing,
    sum(succeeded)::float8 as succeeded, sum(failed_permanently)::float8 as failed_permanently,
    sum(discarded)::float8 as discarded,
    sum(captures)::float8 as captures, sum(recurrences)::float8 as recurrences,
    sum(retry_failures)::float8 as retry_failures, sum(deliveries)::float8 as deliveries,
    sum(permanent_failures)::float8 as permanent_failures, sum(discards)::float8 as discards,
    sum(conflicts)::float8 as conflicts
  from dlq_counts_current_exact
  group by event_type
)
select
  event_type, pending, processing, succeeded, failed_permanently, discarded, captures, recurrences,
  retry_failures, deliveries, permanent_failures, discards, conflicts,
  coalesce(extract(epoch from now() - oldest.created_at), 0)::float8 as age_seconds
from types
left join lateral (
  select created_at
  from dlq_events
  where dlq_events.event_type = types.event_type and processed_at is null
    and (cause is null or cause not in (select cause from dlq_breakers where state <> 'CLOSED'))
  order by created_at
  limit 1
) as oldest on pending + processing > 0
order by types.counted_since, event_type;
