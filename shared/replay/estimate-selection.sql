-- Counts the events that a filter matches by lane, status and skip reason. The events of a lane share all
-- fields that routes match. The state is the columns status and barrier, or their values where the filter
-- has one status: permanent failures are then read from their index alone. The first row has the 20
-- largest error groups, each with its first error, and the number of all. :unrouted lanes are left out.
with alike as (
  -- By columns with few values: PostgreSQL expects few groups, and reads a large selection in parallel.
  select
    lane, status, barrier, fingerprint, count(*) as events, min(created_at) as oldest,
    max(created_at) as newest, min(id) as first_id, max(id) as last_id, sum(hashint8extended(id, 0)) as digest
  from (
    select lane, {state}, fingerprint, created_at, id
    from dlq_events as event where ({filter}) and lane <> all (:unrouted::bigint[])
  ) as matching
  group by lane, status, barrier, fingerprint
),
explained as (
  -- A boolean is expected to be true for half of the rows, a reason to be null for hardly any.
  select alike.*, skip_reason, skip_reason is null as is_selected
  from alike cross join lateral (select {exclusion} as skip_reason) as reasons
),
parts as (
  select
    lane, status, skip_reason, sum(events)::int as events,
    min(oldest) as oldest, max(newest) as newest, min(first_id) as first_id, max(last_id) as last_id,
    sum(digest)::text as digest
  from explained group by lane, status, skip_reason
),
selected as materialized (
  select coalesce(merged_into, explained.fingerprint) as fingerprint, sum(events)::int as events,
    min(first_id) as first_id
  from explained
  left join dlq_error_groups as error_group
    on error_group.fingerprint = explained.fingerprint and merged_into is not null
  where is_selected
  group by 1
),
errors as (
  select
    largest.fingerprint as "value", events, error_class as "errorClass",
    left(error_reason, 200) as "errorReason", left(error_stacktrace, 200) as "errorStacktrace",
    event_type as "eventType", coalesce(source_subscription, consumer_group) as consumer,
    (select count(*)::int from selected) as groups
  from (select * from selected order by events desc, fingerprint limit 20) as largest
  join dlq_events as event on event.id = first_id
  order by events desc, largest.fingerprint
)
select
  parts.lane, event_type, source_kind, source_topic, consumer_group, parts.status, skip_reason, events,
  oldest, newest, first_id, last_id, digest,
  case row_number() over (order by events desc, parts.lane, parts.status)
    when 1 then (select json_agg(errors) from errors)
  end as errors
from parts
join dlq_events as event on event.id = first_id
order by events desc, parts.lane, parts.status;
