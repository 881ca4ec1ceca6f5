-- Adds up the hours of error groups that are older than :hourlyDays days to days, and deletes counts that are
-- older than :days days, up to :limit rows. Returns their number.
with old as (
  delete from dlq_counts
  where ctid = any (array(
    select ctid from dlq_counts
    where hour < date_trunc('day', now() - make_interval(days => :hourlyDays::int), 'UTC')
      and (hour < now() - make_interval(days => :days::int)
        or hour <> date_trunc('day', hour, 'UTC') and fingerprint is not null)
    limit :limit::int
  ))
  returning *
),
days as (
  insert into dlq_counts as known (hour, event_type, fingerprint, {counts})
  select date_trunc('day', hour, 'UTC') as day, event_type, fingerprint, {countSums}
  from old
  where hour >= now() - make_interval(days => :days::int)
  group by day, event_type, fingerprint
  on conflict (hour, event_type, fingerprint) do update set {addedCounts}
)
select count(*)::int as done from old;
