-- Leases up to :limit of a run's waiting events, in order of capture, but no more than until :upTo of them have been
-- begun in all. A run that is paused or has ended gives nothing: the row is locked, so that a pause is in force from
-- here on, and so that several workers of one run take turns. :lanes says which route each lane has now, the route's
-- quota and whether it is ordered.
--
-- A worker looks :after the place of the last event that it has claimed: before that all is done, or somebody has it.
--
-- What changed since the selection was made is skipped, with the reason, and so is what is held back in its key by an event that
-- is not done. Of a key on an ordered route only the first is taken, which is why the front is read before it is locked:
-- in this statement's snapshot whatever was not done yet still stands before those that come after it.
--
-- While a run holds an event it is not due for the schedule, not even when the lease ends: recover-run-events.sql gives it back.
with recursive run as materialized (
  select id, delivered + failed + in_flight as begun
  from dlq_runs
  where id = :runId::bigint and ended_at is null and paused_because is null
  for no key update
),
lanes as materialized (
  select *
  from json_to_recordset(:lanes) as lane (lane bigint, route integer, quota integer, is_ordered boolean, target text)
),
waiting as (
  -- One step over the index for each event: asked for many at once of a run that it knows nothing about yet, the planner
  -- would rather read and sort all that wait.
  (
    select run_event.*, 1 as steps
    from run
    cross join lateral (
      select place, event_id, leased_until
      from dlq_run_events
      where run_id = run.id and outcome = 'waiting' and place > :after::int
      order by place
      limit 1
    ) as run_event
  )
  union all
  select following.*, steps + 1
  from waiting
  cross join lateral (
    select place, event_id, leased_until
    from dlq_run_events
    where run_id = :runId::bigint and outcome = 'waiting' and place > waiting.place
    order by place
    limit 1
  ) as following
  where steps < :lookahead::int
),
front as materialized (
  select
    waiting.place, waiting.event_id, waiting.leased_until, event.id is null as is_gone,
    lanes.route, lanes.quota, lanes.target, lanes.is_ordered and event.source_key is not null as is_sequenced,
    row_number() over (partition by event.lane, event.source_key order by waiting.place) as place_in_key
  from waiting
  left join lateral (
    select id, lane, source_key from dlq_events where id = waiting.event_id offset 0
  ) as event on true
  left join lanes on lanes.lane = event.lane
),
candidates as materialized (
  select place, event_id, is_gone, route, target, is_sequenced
  from (
    select front.*, row_number() over (partition by route order by place) as place_on_route
    from front
    where leased_until is null and (is_sequenced is not true or place_in_key = 1)
  ) as free
  where place_on_route <= coalesce(quota, :limit::int)
  order by place
  limit (select greatest(least(:limit::int, :upTo::int - begun), 0) from run)
),
held as materialized (
  select run_event.*
  from candidates
  cross join lateral (
    select event_id, failure_count, status
    from dlq_run_events
    where run_id = :runId::bigint and event_id = candidates.event_id
      and outcome = 'waiting' and leased_until is null
    for update skip locked
  ) as run_event
),
seen as materialized (
  select id, status, failure_count, retry_after, processed_at, lease_expires_at, lane, source_key
  from dlq_events
  where id = any (array(select event_id from held))
  order by id
  for update skip locked
),
judged as materialized (
  select
    event_id, candidates.target, seen.retry_after, seen.processed_at,
    -- Of an event whose worker has disappeared.
    case seen.status when 'PROCESSING' then 'PENDING' else seen.status end as status,
    case
      when is_gone then 'gone'
      when seen.status = 'PROCESSING' and seen.lease_expires_at > now() then 'leased'
      when seen.failure_count <> held.failure_count then 'captured-again'
      when seen.status = 'SUCCEEDED' and held.status <> 'SUCCEEDED' then 'delivered'
      when seen.status = 'DISCARDED' and held.status <> 'DISCARDED' then 'discarded'
      when route is null then 'no-route'
      when is_sequenced and exists (
        select
        from dlq_events as earlier
        where earlier.holds_back and earlier.lane = seen.lane and earlier.source_key = seen.source_key
          and earlier.id < seen.id
      ) then 'held-back'
    end as skipped_because
  from held
  join candidates using (event_id)
  left join seen on seen.id = event_id
  -- One that somebody else has locked right now has its turn later.
  where is_gone or seen.id is not null
),
noted as (
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
leased as (
  update dlq_events
  set status = 'PROCESSING',
      lease_token = :leaseToken,
      lease_expires_at = now() + make_interval(secs => :leaseSeconds),
      retry_after = now() + make_interval(secs => :leaseSeconds),
      processed_at = null,
      updated_at = now()
  where id = any (array(select event_id from judged where skipped_because is null))
  returning *
)
select
  leased.id, event_key, event_type, coalesce(edit.body, leased.body) as body, payload_encoding, content_type,
  coalesce(edit.headers, leased.headers) as headers, source_kind, source_topic, source_key, source_key_bytes,
  consumer_group, trace_id, retry_count, max_retries, failure_count, leased.status, false as was_lost,
  edit.event_id is not null as is_edited, candidates.route, candidates.place,
  case when coalesce(edit.body, leased.body) is null then payload::text end as payload_text
from leased
join candidates on candidates.event_id = leased.id
left join dlq_run_edits as edit on edit.run_id = :runId::bigint and edit.event_id = leased.id
order by candidates.place;
