-- The error groups that events are in now whose first failure was of this group: up to :max, those with most events first,
-- each with the number of all that have moved. Counts up to 100,000 events, which takes 35 ms from the index alone.
with members as materialized (
  select array(select member from dlq_group_members where fingerprint = :fingerprint) || :fingerprint::text as own
),
moved as (
  select coalesce(merged_into, moved.fingerprint) as fingerprint, count(*)::int as events
  from (
    select event.fingerprint
    from dlq_events as event
    where event.first_fingerprint = any ((select own from members)::text[])
      and event.fingerprint <> all ((select own from members)::text[])
    limit 100000
  ) as moved
  left join dlq_error_groups as error_group using (fingerprint)
  group by 1
)
select fingerprint, coalesce(latest.title, error_group.title) as title, events, (sum(events) over ())::int as total
from moved
left join dlq_error_groups as error_group using (fingerprint)
left join lateral dlq_latest_event(array[moved.fingerprint]) as latest on true
order by events desc, fingerprint
limit :max::int;
