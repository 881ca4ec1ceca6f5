-- What a run would select, by error group: the :most largest ones, each with the first of its events for an example, and
-- how many there are in all. What is left out is told apart group by group, as the planner would take an event that is not
-- for a rare one, and sort what it can count at once.
with largest as (
  select
    fingerprint, (count(*) filter (where is_selected))::int as events, min(id) filter (where is_selected) as first_id,
    (count(*) over ())::int as groups
  from (
    select
      id, fingerprint,
      dlq_obstacle(status, lease_expires_at, :includeSucceeded, :includeDiscarded) is null as is_selected
    from dlq_events as event
    where (:filter) and event.lane = any (:lanes::bigint[])
  ) as matching
  group by fingerprint
  having bool_or(is_selected)
  order by events desc, fingerprint
  limit :most::int
)
select
  largest.fingerprint as value, events, error_class, left(error_reason, 200) as error_reason, groups
from largest
join dlq_events on dlq_events.id = first_id
order by events desc, largest.fingerprint;
