-- The error groups that events are in now whose first failure was of this group: up to :max, those with most events first,
-- each with the number of all that have moved. Counts up to 100,000 events, which takes 35 ms from the index alone.
with moved as (
  select fingerprint, count(*)::int as events
  from (
    select event.fingerprint
    from dlq_events as event
    where event.first_fingerprint = :fingerprint and event.fingerprint <> :fingerprint
    limit 100000
  ) as counted
  group by fingerprint
)
select fingerprint, coalesce(latest.title, error_group.title) as title, events, (sum(events) over ())::int as total
from moved
left join dlq_error_groups as error_group using (fingerprint)
left join lateral (
  select dlq_error_title(error_class, error_reason) as title
  from dlq_events as event
  where event.fingerprint = moved.fingerprint
  order by fingerprint desc, id desc
  limit 1
) as latest on true
order by events desc, fingerprint
limit :max::int;
