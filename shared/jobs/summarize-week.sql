-- Events captured and settled within the last seven days, the :causes error groups with most failures, since
-- when events wait, and how often operators did what. Reads counts, one index entry of events, and the audit.
with week as (
  select
    coalesce(sum(failures), 0)::float8 as failures, coalesce(sum(deliveries), 0)::float8 as deliveries,
    coalesce(sum(permanent_failures), 0)::float8 as permanent_failures
  from dlq_counts_totals
  where hour > now() - interval '7 days'
)
select
  week.*,
  (select min(created_at) from dlq_events where processed_at is null) as oldest_open_at,
  (
    select coalesce(jsonb_agg(cause), '[]')
    from (
      select coalesce(of_group.title, of_group.fingerprint) as title, sum(failures)::float8 as failures
      from dlq_counts_exact
      join dlq_error_groups as own using (fingerprint)
      join dlq_error_groups as of_group on of_group.fingerprint = coalesce(own.merged_into, own.fingerprint)
      where hour > now() - interval '7 days'
      group by of_group.fingerprint
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
from week;
