-- Deletes counts that are older than :days days, up to :limit rows.
delete from dlq_counts
where ctid = any (array(
  select ctid from dlq_counts
  where hour < now() - make_interval(days => :days::int) order by hour limit :limit::int
))
returning 1 as purged;
