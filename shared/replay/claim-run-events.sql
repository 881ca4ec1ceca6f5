-- Leases up to :limit of a run's waiting events in order of capture, until :upTo events of the run have been started in
-- total. Returns nothing for a run that is paused or has ended: its row is locked, so that a pause takes effect here, and
-- several workers of one run claim one after another. :lanes lists the present route of each lane, the route's quota,
-- whether it is ordered and whether the run waits while the breaker of its target is open. A target whose breaker has closed
-- gets what its ramp allows, as in claim-events.sql. A target that an operator holds gets nothing unless :toHeldTargets.
--
-- Longer than 60 lines, because a claim is one round trip over one snapshot: rollout, order and locks of two concurrent
-- claims must not see different states.
--
-- A worker claims :after the position of its last claimed event: the events before that are done or leased.
--
-- An event that the run sends edited is not due again by itself, whatever becomes of its worker; one that another replay waits to
-- send edited is skipped.
--
-- Events that changed since they were selected are skipped with a reason, as are events that an earlier event of their key
-- blocks. On an ordered route only the first event of each key is claimed. The front is therefore read before it is
-- locked: in the snapshot of this statement every unfinished event still precedes the later ones of its key.
--
-- While a run holds an event, the schedule never finds it due, even after its lease: recover-run-events.sql returns it.
with recursive run as materialized (
  select id, is_edited, delivered + failed + in_flight as begun
  from dlq_runs
  where id = :runId::bigint and ended_at is null and paused_because is null
  for no key update
),
routed as materialized (
  select *
  from json_to_recordset(:lanes) as lane (
    lane bigint, route integer, quota integer, is_ordered boolean, target text, waits boolean
  )
),
breakers as materialized (
  select
    target, state, case when ramp_step_at <= now() - interval '1 second' then ramp[2:] else ramp end as ramp,
    case when ramp_step_at > now() - interval '1 second' then ramp_step_at else now() end as ramp_step_at
  from dlq_breakers
  where target in (select target from routed) and (held_at is null or :toHeldTargets)
    and (ramp is not null or probe_after <= now() and exists (select from routed where waits))
  for no key update skip locked
),
lanes as materialized (
  select
    routed.*, case
      when breaker.target is null or breakers.ramp = '{}' then :limit::int
      when breakers.state <> 'CLOSED' then 1
      else coalesce(breakers.ramp[1], 0)
    end as allowed
  from routed
  left join dlq_breakers as breaker
    on breaker.target = routed.target and (
      breaker.ramp is not null or breaker.state <> 'CLOSED' and waits or breaker.held_at is not null and not :toHeldTargets)
  left join breakers on breakers.target = routed.target
),
waiting as (
  -- One index lookup per event: without statistics about a new run, the planner would read and sort all waiting events.
  select :after::int as position, null::bigint as event_id, null::timestamptz as leased_until, 0 as steps from run
  union all
  select following.*, steps + 1
  from waiting
  cross join lateral (
    select position, event_id, leased_until
    from dlq_run_events
    where run_id = :runId::bigint and outcome = 'waiting' and position > waiting.position
    order by position
    limit 1
  ) as following
  where steps < :lookahead::int
),
front as materialized (
  select
    waiting.position, waiting.event_id, waiting.leased_until, event.id is null as is_gone,
    lanes.route, lanes.quota, lanes.target, lanes.allowed, lanes.is_ordered and event.source_key is not null as is_sequenced,
    row_number() over (partition by event.lane, event.source_key order by waiting.position) as position_in_key
  from waiting
  left join lateral (
    select id, lane, source_key from dlq_events where id = waiting.event_id offset 0
  ) as event on true
  left join lanes on lanes.lane = event.lane
  where steps > 0
),
candidates as materialized (
  select position, event_id, is_gone, route, target, is_sequenced
  from (
    select
      front.*, row_number() over (partition by route order by position) as position_on_route,
      row_number() over (partition by target order by position) as position_at_target
    from front
    where leased_until is null and (is_sequenced is not true or position_in_key = 1)
  ) as free
  where position_on_route <= coalesce(quota, :limit::int) and position_at_target <= coalesce(allowed, :limit::int)
  order by position
  limit (select greatest(least(:limit::int, :upTo::int - begun), 0) from run)
),
held as materialized (
  select run_event.*
  from candidates
  cross join lateral (
    select event_id, failure_count, status, lost
    from dlq_run_events
    where run_id = :runId::bigint and event_id = candidates.event_id
      and outcome = 'waiting' and leased_until is null
    for update skip locked
  ) as run_event
),
locked as materialized (
  select
    id, status, failure_count, retry_after, processed_at, lease_expires_at, edit_run_id, lane, source_key, sequence,
    lease_token is not null and not exists (
      select from dlq_sends where dlq_sends.lease_token = dlq_events.lease_token and dlq_events.id = any (event_ids)
    ) as is_unsent
  from dlq_events
  where id = any (array(select event_id from held))
  order by id
  for update skip locked
),
judged as materialized (
  select
    event_id, candidates.target, locked.retry_after, locked.processed_at, held.lost, locked.is_unsent,
    -- PROCESSING with an expired lease: the worker disappeared.
    case locked.status when 'PROCESSING' then 'PENDING' else locked.status end as status,
    case
      when is_gone then 'gone'
      when locked.status = 'PROCESSING' and locked.lease_expires_at > now() then 'leased'
      when locked.status in ('PENDING', 'PROCESSING') and locked.edit_run_id <> :runId::bigint then 'edited'
      when locked.failure_count <> held.failure_count then 'captured-again'
      when locked.status = 'SUCCEEDED' and held.status <> 'SUCCEEDED' then 'delivered'
      when locked.status = 'DISCARDED' and held.status <> 'DISCARDED' then 'discarded'
      when route is null then 'no-route'
      when is_sequenced and exists (
        select
        from dlq_events as earlier
        where earlier.is_blocking and earlier.lane = locked.lane and earlier.source_key = locked.source_key
          and (earlier.sequence, earlier.id) < (locked.sequence, locked.id)
      ) then 'held-back'
    end as skipped_because
  from held
  join candidates using (event_id)
  left join locked on locked.id = event_id
  -- An event that another transaction has locked is claimed later.
  where is_gone or locked.id is not null
),
recorded as (
  update dlq_run_events as run_event
  set outcome = case when skipped_because is null then 'waiting' else 'skipped' end,
      reason = skipped_because,
      settled_at = case when skipped_because is not null then now() end,
      status = coalesce(judged.status, run_event.status),
      (leased_until, target, retry_after, processed_at) = (
        select now() + make_interval(secs => :leaseSeconds), judged.target, judged.retry_after, judged.processed_at
        where skipped_because is null
      )
  from judged
  where run_event.run_id = :runId::bigint and run_event.event_id = judged.event_id
),
throttled as (
  update dlq_breakers as breaker
  set state = case breakers.state when 'CLOSED' then 'CLOSED' else 'HALF_OPEN' end,
      probe_after = case when breakers.state <> 'CLOSED' then now() + make_interval(secs => :leaseSeconds) end,
      ramp = case when breakers.ramp <> '{}' then array_prepend((breakers.ramp[1] - taken.events)::int, breakers.ramp[2:]) end,
      ramp_step_at = case when breakers.ramp <> '{}' then breakers.ramp_step_at end,
      updated_at = now()
  from breakers
  join (
    select target, count(*) as events from judged where skipped_because is null group by target
  ) as taken using (target)
  where breaker.target = breakers.target
),
leased as (
  update dlq_events
  set status = 'PROCESSING',
      lease_token = :leaseToken,
      lease_expires_at = now() + make_interval(secs => :leaseSeconds),
      retry_after = now() + make_interval(secs => :leaseSeconds),
      edit_run_id = edited.id,
      delivery_count = delivery_count + (not is_unsent)::int,
      processed_at = null,
      updated_at = now()
  from (select case when is_edited then id end as id from run) as edited
  cross join judged
  where skipped_because is null and dlq_events.id = judged.event_id
    and dlq_events.id = any (array(select event_id from judged where skipped_because is null))
  returning dlq_events.id, event_type, source_kind, source_topic, source_key, consumer_group, trace_id, retry_count, max_retries,
    delivery_count, dlq_events.status
)
select
  leased.*, judged.status as old_status, judged.retry_after::text as old_retry_after,
  judged.processed_at::text as old_processed_at, judged.lost as losses, candidates.route, candidates.position,
  exists (select from dlq_run_edits where run_id = :runId::bigint and event_id = leased.id) as is_edited
from leased
join candidates on candidates.event_id = leased.id
join judged on judged.event_id = leased.id
order by candidates.position;
