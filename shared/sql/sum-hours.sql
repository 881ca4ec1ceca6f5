-- What happened from :since until :until, in steps of :hours from :since on; of all events, or of one error group. The
-- counts are read past their view, which would sum up each hour of each type and group first. Both sides are of the same
-- types, or workers could not share them.
select
  extract(epoch from bin - :since::timestamptz)::int / (3600 * :hours::int) as step, sum(failures)::float as failures,
  sum(deliveries)::float as deliveries, sum(permanent_failures)::float as permanent_failures
from (
  select
    date_bin(make_interval(hours => :hours::int), hour, :since::timestamptz) as bin, captures + returns as failures,
    deliveries, permanent_failures
  from dlq_counts
  where hour >= :since::timestamptz and hour < :until::timestamptz
    and (:fingerprint::text is null or fingerprint = :fingerprint)
  union all
  select
    date_bin(make_interval(hours => :hours::int), hour, :since::timestamptz), (captures + returns)::bigint,
    deliveries::bigint, permanent_failures::bigint
  from dlq_changes
  where hour >= :since::timestamptz and hour < :until::timestamptz
    and (:fingerprint::text is null or fingerprint = :fingerprint)
) as hours
group by bin
order by bin;
