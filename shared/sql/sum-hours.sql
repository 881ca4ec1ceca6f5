-- What happened from :since until :until, in steps of :hours from :since on; of all events, or of one error group.
select
  floor(extract(epoch from hour - :since::timestamptz) / (3600 * :hours::int))::int as step,
  sum(captures + returns)::float as failures, sum(deliveries)::float as deliveries,
  sum(permanent_failures)::float as permanent_failures
from dlq_hours
where hour >= :since::timestamptz and hour < :until::timestamptz
  and (:fingerprint::text is null or fingerprint = :fingerprint)
group by step
order by step;
