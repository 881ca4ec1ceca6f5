-- Forgets some hours that are long past, and what was summed up of them.
with gone as (
  delete from dlq_counts
  where ctid = any (array(
    select ctid from dlq_counts where hour < now() - make_interval(days => :days::int) order by hour limit :limit::int
  ))
  returning 1
),
gone_hours as (
  delete from dlq_hour_counts where hour < now() - make_interval(days => :days::int)
),
gone_days as (
  delete from dlq_day_counts
  where ctid = any (array(
    select ctid from dlq_day_counts where day < now() - make_interval(days => :days::int) order by day limit :limit::int
  ))
)
select count(*)::int as forgotten from gone;
