-- Adds up the hours of each day (UTC) that is older than :days days, up to :limit rows. Returns their number.
with hours as (
  delete from dlq_counts_hourly
  where ctid = any (array(
    select ctid
    from dlq_counts_hourly
    where hour < date_trunc('day', now() - make_interval(days => :days::int), 'UTC') and hour <> date_trunc('day', hour, 'UTC')
    order by hour
    limit :limit::int
  ))
  returning *
),
days as (
  insert into dlq_counts_hourly as known (hour, event_type, fingerprint, {counts})
  select date_trunc('day', hour, 'UTC') as day, event_type, fingerprint, {countSums}
  from hours
  group by day, event_type, fingerprint
  on conflict (hour, event_type, fingerprint) do update set {addedCounts}
)
select count(*)::int as purged from hours;
