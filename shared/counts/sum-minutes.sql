-- Failures and deliveries of all events, or of the error group :fingerprint, within the last day: from :from until :until, by :step of
-- whole minutes counted from :since, negative before it. The tables are read apart, each by its index.
with members as (
  select array(select member from dlq_group_members where fingerprint = :fingerprint) as members
)
select
  floor(extract(epoch from minute - :since::timestamptz) / extract(epoch from :step::interval))::int as step,
  greatest(sum(failures), 0)::float as failures, sum(deliveries)::float as deliveries
from (
  select minute, failures, deliveries
  from dlq_counts_minutely
  where :fingerprint::text is null and fingerprint is null and minute >= :from::timestamptz and minute < :until::timestamptz
  union all
  select minute, failures, deliveries
  from dlq_counts_minutely
  where fingerprint = any ((select members from members)::text[]) and minute >= :from::timestamptz and minute < :until::timestamptz
  union all
  select minute, captures + recurrences, deliveries
  from dlq_count_deltas
  where (:fingerprint::text is null or fingerprint = any ((select members from members)::text[]))
    and minute >= :from::timestamptz and minute < :until::timestamptz
) as minutes
group by step
order by step;
