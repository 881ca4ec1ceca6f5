-- Failures and deliveries from :from until :until by :step counted from :since, negative before it; and, as rows with a
-- fingerprint, the failures since :since of the :groups error groups that are not muted with most of them.
--
-- Hours are those of the counts. Shorter steps are read from the index of last failures: an event that failed several times counts
-- at its last failure, and deliveries are unknown. They are those of the latest :max events.
with source as not materialized (
  select hour as at, fingerprint, failures, deliveries
  from dlq_counts_hourly_exact
  where :isByHour::boolean and hour >= :from::timestamptz and hour < :until::timestamptz
  union all
  select last_failure_at, coalesce(fingerprint, ''), 1, null
  from (
    select last_failure_at, fingerprint
    from dlq_events
    where not :isByHour::boolean and last_failure_at >= :from::timestamptz and last_failure_at < :until::timestamptz
    order by last_failure_at desc
    limit :max::int
  ) as latest
),
steps as materialized (
  select
    coalesce(merged_into, fingerprint) as fingerprint, date_bin(:step::interval, at, :since::timestamptz) as began_at,
    sum(failures)::float8 as failures, sum(deliveries)::float8 as deliveries
  from source
  left join (select fingerprint, merged_into from dlq_error_groups where merged_into is not null) as merged using (fingerprint)
  group by 1, 2
),
top as (
  select fingerprint, sum(failures) as total
  from steps
  where began_at >= :since and fingerprint <> ''
    and fingerprint not in (select fingerprint from dlq_error_groups where state = 'MUTED')
  group by fingerprint
  having sum(failures) > 0
  order by total desc, fingerprint
  limit :groups::int
),
shown as (
  select null as fingerprint, null::float8 as total, began_at, sum(failures) as failures, sum(deliveries) as deliveries
  from steps
  group by began_at
  union all
  select fingerprint, total, began_at, failures, null
  from steps
  join top using (fingerprint)
  where began_at >= :since
)
select
  fingerprint, (extract(epoch from began_at - :since) / extract(epoch from :step::interval))::int as step, failures, deliveries
from shown
order by total desc, fingerprint, step;
