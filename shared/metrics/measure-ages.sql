-- The age of the oldest open event of each of :types that does not fail by itself, of `other` types and of
-- all; those that fail by themselves are read over. Of more than 10,000 open types, the first by name.
with recursive open_types as (
  select (select min(event_type) from dlq_events where processed_at is null) as event_type, 1 as nth
  union all
  select (
    select min(event_type) from dlq_events where processed_at is null and event_type > open_types.event_type
  ), nth + 1
  from open_types
  where event_type is not null and nth < 10000
)
select
  label as event_type, coalesce(max(age), 0) as age_seconds, coalesce(max(age), 0) as oldest_pending_seconds
from (select unnest(:types::text[]) as event_type union select event_type from open_types) as wanted
cross join lateral (
  select case when event_type = any (:types::text[]) then event_type when :hasOthers then 'other' end as label
) as labeled
left join lateral (
  select extract(epoch from now() - created_at)::float8 as age
  from dlq_events
  where dlq_events.event_type = wanted.event_type and processed_at is null
    and (cause is null or cause not in (select cause from dlq_breakers where state <> 'CLOSED'))
  order by created_at
  limit 1
) as oldest on true
group by grouping sets ((label), ())
having label is not null or grouping(label) = 1;
