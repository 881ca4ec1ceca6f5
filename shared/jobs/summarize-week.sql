-- The digest: events captured and settled within the last seven days, the :causes error groups with most
-- failures, what waits now, and how often operators did what. Reads counts, one index entry of events, and
-- the audit.
with week as (
  select * from dlq_counts_totals where hour > now() - interval '7 days'
),
depths as (
  select
    coalesce(sum(pending + processing), 0)::float8 as open,
    coalesce(sum(failed_permanently), 0)::float8 as undecided
  from dlq_counts_totals
  where hour is null and event_type is null
)
select
  (select coalesce(sum(failures), 0)::float8 from week) as failures,
  (select coalesce(sum(deliveries), 0)::float8 from week) as deliveries,
  (select coalesce(sum(permanent_failures), 0)::float8 from week) as permanent_failures,
  depths.*,
  (select min(created_at) from dlq_events where processed_at is null) as oldest_open_at,
  (
    select coalesce(jsonb_agg(cause), '[]')
    from (
      select title, sum(failures)::float8 as failures
      from dlq_counts_exact
      join dlq_groups_merged as of_group on dlq_counts_exact.fingerprint = any (members)
      where hour > now() - interval '7 days'
      group by of_group.fingerprint, title
      having sum(failures) > 0
      order by sum(failures) desc, title
      limit :causes::int
    ) as cause
  ) as causes,
  (
    select coalesce(jsonb_object_agg(action, times), '{}')
    from (
      select action, count(*) as times
      from dlq_audit
      where at > now() - interval '7 days' and actor <> 'service' and closes is null
      group by action
    ) as acted
  ) as decisions
from depths;
