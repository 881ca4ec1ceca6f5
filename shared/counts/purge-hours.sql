-- Deletes counts that are older than :days days, up to :limit rows. Returns their number.
with purged as (
  delete from dlq_counts
  where ctid = any (array(
    select ctid from dlq_counts
    where hour < now() - make_interval(days => :days::int) order by hour limit :limit::int
  ))
  returning 1
)
select count(*)::int as purged from purged;
