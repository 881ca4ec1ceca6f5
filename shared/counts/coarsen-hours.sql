-- Adds up the hours of error groups to periods of six hours after :hourDays days, and to days after :dayDays,
-- up to :limit rows. Returns their number.
with wanted as (
  select
    date_trunc('day', now() - make_interval(days => :hourDays::int), 'UTC') as hours_since,
    date_trunc('day', now() - make_interval(days => :dayDays::int), 'UTC') as periods_since
),
hours as (
  delete from dlq_counts
  where ctid = any (array(
    select dlq_counts.ctid
    from wanted
    join dlq_counts
      on hour < periods_since and hour <> date_trunc('day', hour, 'UTC')
      or hour < hours_since and hour <> date_bin('6 hours', hour, '2000-01-01T00:00:00Z')
    where fingerprint is not null
    limit :limit::int
  ))
  returning *
),
periods as (
  insert into dlq_counts as known (hour, event_type, fingerprint, {counts})
  select
    date_bin(
      case when hour < periods_since then interval '1 day' else interval '6 hours' end, hour,
      '2000-01-01T00:00:00Z') as period,
    event_type, fingerprint, {countSums}
  from wanted
  cross join hours
  group by period, event_type, fingerprint
  on conflict (hour, event_type, fingerprint) do update set {addedCounts}
)
select count(*)::int as coarsened from hours;
