-- Deletes counts by hour and by day that are older than :days days, up to :limit rows of each table. Returns the number of
-- deleted rows of dlq_counts_hourly.
with purged as (
  delete from dlq_counts_hourly
  where ctid = any (array(
    select ctid from dlq_counts_hourly where hour < now() - make_interval(days => :days::int) order by hour limit :limit::int
  ))
  returning 1
),
purged_totals as (
  delete from dlq_counts_hourly_totals where hour < now() - make_interval(days => :days::int)
),
purged_days as (
  delete from dlq_counts_daily
  where ctid = any (array(
    select ctid from dlq_counts_daily where day < now() - make_interval(days => :days::int) order by day limit :limit::int
  ))
)
select count(*)::int as purged from purged;
