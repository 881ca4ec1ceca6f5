-- The ids of the first :max events that a run would select, in order of capture. All of them are found first: sorted by id, the
-- planner would walk over the whole history to the open events at its end.
with selected as materialized (
  select event.id
  from dlq_events as event
  where ({filter})
    and event.lane = any (:lanes::bigint[])
    and dlq_skip_reason(event.status, event.lease_expires_at, event.edit_run_id, :includeSucceeded, :includeDiscarded) is null
)
select id from selected order by id limit :max::int;
