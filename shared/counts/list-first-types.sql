-- The first :max event types that were ever counted.
select event_type
from (
  (
    select event_type, counted_since
    from dlq_counts
    where hour is null and fingerprint is null and event_type is not null
    order by counted_since, event_type
    limit :max::int
  )
  union all
  select event_type, null from dlq_count_deltas
) as known
group by event_type
order by min(counted_since), event_type
limit :max::int;
