-- Failures and deliveries from :since until :until by :step, of all events or of one error group.
--
-- Hours are those of the counts. Shorter steps are read from the index of last failures: an event that failed
-- several times counts at its last failure, an edit is no failure, and deliveries are unknown. They are those
-- of the latest :max events.
select
  (extract(epoch from began_at - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
  sum(failures)::float8 as failures, sum(deliveries)::float8 as deliveries
from (
  select date_bin(:step::interval, hour, :since::timestamptz) as began_at, failures, deliveries
  from dlq_counts_totals
  where :fingerprint::text is null and :isByHour::boolean
    and hour >= :since::timestamptz and hour < :until::timestamptz
  union all
  select date_bin(:step::interval, hour, :since::timestamptz), failures, deliveries
  from dlq_counts_exact
  where fingerprint = any (array(select member from dlq_group_members where fingerprint = :fingerprint))
    and hour >= :since::timestamptz and hour < :until::timestamptz and :fingerprint is not null
  union all
  select date_bin(:step::interval, last_failure_at, :since::timestamptz), 1, null
  from (
    select last_failure_at
    from dlq_events
    where not :isByHour::boolean
      and last_failure_at >= :since::timestamptz and last_failure_at < :until::timestamptz
      and edited_from is null
    order by last_failure_at desc
    limit :max::int
  ) as latest
) as steps
group by began_at
order by step;
