-- What happened to the events of each type so far, its events now by status, and the age of its oldest
-- open event that does not fail by itself: one index lookup for each type that has any, and those that
-- fail are read over. The types after the first 100 are one, `other`: any other choice would let counters
-- decrease. The row without a type is about all of them.
with types as (
  select
    event_type, row_number() over (order by min(counted_since), event_type) as nth,
    sum(pending)::float8 as pending, sum(processing)::float8 as processing,
    sum(succeeded)::float8 as succeeded, sum(failed_permanently)::float8 as failed_permanently,
    sum(discarded)::float8 as discarded,
    sum(captures)::float8 as captures, sum(recurrences)::float8 as recurrences,
    sum(retry_failures)::float8 as retry_failures, sum(deliveries)::float8 as deliveries,
    sum(permanent_failures)::float8 as permanent_failures, sum(discards)::float8 as discards,
    sum(conflicts)::float8 as conflicts
  from dlq_counts_current_exact
  group by event_type
),
labeled as (
  select
    types.*, case when nth <= 100 then event_type else 'other' end as label,
    coalesce(extract(epoch from now() - oldest.created_at), 0)::float8 as age
  from types
  left join lateral (
    select created_at
    from dlq_events
    where dlq_events.event_type = types.event_type and processed_at is null
      and (cause is null or cause not in (select cause from dlq_breakers where state <> 'CLOSED'))
    order by created_at
    limit 1
  ) as oldest on pending + processing > 0
)
select
  label as event_type, status, events,
  captures as total, recurrences as recurrences_total, retry_failures as retry_failures_total,
  deliveries as deliveries_total, permanent_failures as permanent_failures_total,
  discards as discards_total, conflicts as identity_conflicts_total,
  age as age_seconds, age as oldest_pending_seconds,
  pending as depth_pending, processing as depth_processing, succeeded as depth_succeeded,
  failed_permanently as depth_failed_permanently, discarded as depth_discarded
from (
  select
    label, min(nth) as nth, coalesce(max(age), 0) as age,
    coalesce(sum(pending), 0) as pending, coalesce(sum(processing), 0) as processing,
    coalesce(sum(succeeded), 0) as succeeded, coalesce(sum(failed_permanently), 0) as failed_permanently,
    coalesce(sum(discarded), 0) as discarded,
    sum(captures) as captures, sum(recurrences) as recurrences, sum(retry_failures) as retry_failures,
    sum(deliveries) as deliveries, sum(permanent_failures) as permanent_failures, sum(discards) as discards,
    sum(conflicts) as conflicts
  from labeled
  group by grouping sets ((label), ())
) as sums
cross join lateral (values
  (null, null), ('PENDING', pending), ('PROCESSING', processing), ('SUCCEEDED', succeeded),
  ('FAILED_PERMANENTLY', failed_permanently), ('DISCARDED', discarded)
) as by_status (status, events)
order by nth, label;
