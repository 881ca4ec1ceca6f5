-- The age of the oldest open event of each of :types that does not fail by itself, of `other` types and of
-- all, since 1970 at most: SQL can set -infinity. Those that fail by themselves are read over. One jump over
-- the index for each open type, of which none is left out: the oldest event may have any.
with recursive oldest as (
  (
    select event_type, created_at from dlq_events
    where processed_at is null
      and (cause is null or cause not in (select cause from dlq_breakers where state <> 'CLOSED'))
    order by event_type, created_at limit 1
  )
  union all
  select following.* from oldest cross join lateral (
    select event_type, created_at from dlq_events
    where processed_at is null and event_type > oldest.event_type
      and (cause is null or cause not in (select cause from dlq_breakers where state <> 'CLOSED'))
    order by event_type, created_at limit 1
  ) as following
)
select
  label as event_type, coalesce(max(age), 0) as age_seconds, coalesce(max(age), 0) as oldest_pending_seconds
from (select unnest(:types::text[]) as event_type union select event_type from oldest) as wanted
left join (select event_type, greatest(created_at, 'epoch') as since from oldest) as old using (event_type)
cross join lateral (
  select extract(epoch from now() - since)::float8 as age,
    case when event_type = any (:types::text[]) then event_type when :hasOthers then 'other' end as label
) as labeled
group by grouping sets ((label), ()) having label is not null or grouping(label) = 1;
