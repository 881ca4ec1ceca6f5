-- Counts the events that a run would select by error group: the :max largest groups, each with its first event as an
-- example, and the total number of groups. Excluded events are filtered in the aggregates: with a WHERE condition the
-- planner expects few events, and sorts them instead of hashing.
with largest as (
  select
    fingerprint, (count(*) filter (where is_selected))::int as events, min(id) filter (where is_selected) as first_id,
    (count(*) over ())::int as groups
  from (
    select
      id, coalesce(merged_into, event.fingerprint) as fingerprint,
      dlq_skip_reason(status, lease_expires_at, edit_run_id, :includeSucceeded, :includeDiscarded) is null as is_selected
    from dlq_events as event
    left join (
      select fingerprint as member, merged_into from dlq_error_groups where merged_into is not null
    ) as merged on member = event.fingerprint
    where ({filter}) and event.lane = any (:lanes::bigint[])
  ) as matching
  group by fingerprint
  having bool_or(is_selected)
  order by events desc, fingerprint
  limit :max::int
)
select
  largest.fingerprint as value, events, error_class, left(error_reason, 200) as error_reason, groups
from largest
join dlq_events on dlq_events.id = first_id
order by events desc, largest.fingerprint;
