-- Counts the events that a filter matches by lane, status and skip reason. The events of a lane share all fields that routes match.
-- {state} has the columns status and lease_expires_at, or, of permanent failures, their values: these are then read from their index alone.
select
  parts.lane, event_type, source_kind, source_topic, consumer_group, parts.status, skip_reason, events, edited, oldest, newest,
  first_id, last_id
from (
  select
    lane, status, dlq_skip_reason(status, lease_expires_at, edit_run_id, :includeSucceeded, :includeDiscarded) as skip_reason,
    sum(events)::int as events, coalesce(sum(events) filter (where edit_run_id is not null), 0)::int as edited,
    min(oldest) as oldest, max(newest) as newest, min(first_id) as first_id, max(last_id) as last_id
  from (
    -- By few plain columns: they cost less, for each event, than the texts and reasons that they lead to.
    select
      lane, status, lease_expires_at, edit_run_id, count(*) as events, min(created_at) as oldest, max(created_at) as newest,
      min(id) as first_id, max(id) as last_id
    from (select lane, {state}, edit_run_id, created_at, id from dlq_events as event where {filter}) as matching
    group by lane, status, lease_expires_at, edit_run_id
  ) as alike
  group by lane, status, skip_reason
) as parts
join dlq_events as event on event.id = first_id
order by events desc, parts.lane, parts.status;
