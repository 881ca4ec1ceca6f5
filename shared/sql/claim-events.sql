-- Leases up to :limit events that were due at :dueAt, to the holder of :leaseToken. :lanes says from where: each lane
-- with its route, the route's quota for this claim, its retries, and its target. Of an ordered lane it names the `heads`,
-- the firsts of their keys as find-heads.sql saw them; that they still are is looked up once more.
--
-- Each lane that has any due events gets an equal share, so that no backlog starves another; within a lane the lowest
-- priority goes first, then what has been due longest. A target whose breaker is open gets nothing, or, after its
-- cooldown, a single event as a probe.
--
-- An event whose lease ran out was lost with its worker: that costs a retry like any failure, and may be the last.
--
-- Some things keep the plan the same for any batch, any table, and any statistics, which are long out of date when a
-- million failures come at once. Rows are locked inside a materialized CTE, for the planner may otherwise run a LIMIT twice
-- and claim more than asked. The update looks them up with = ANY (ARRAY (...)), which is always a walk over the primary
-- key, where a join may turn into a scan. What asks for one row says LIMIT 1, where EXISTS may turn into a join with the
-- whole backlog. Where due events are walked in order, a worker's absence is asked for as status <> 'PROCESSING':
-- status = 'PENDING' looks as rare to the planner as open events are among closed ones, so that it expects few, and sorts
-- them all to find the first. Where heads are looked up, is_open is not named, or their index would be left for that of
-- all that is due.
with recursive pairs as (
  -- Every (lane, priority) with open events, by one jump over the index for each, however many events it holds.
  (
    select lane, priority from dlq_events where is_open order by lane, priority limit 1
  )
  union all
  select following.lane, following.priority
  from pairs
  cross join lateral (
    select lane, priority
    from dlq_events
    where is_open and (lane, priority) > (pairs.lane, pairs.priority)
    order by lane, priority
    limit 1
  ) as following
),
wanted as (
  select *
  from json_to_recordset(:lanes) as lane (
    lane bigint, route integer, quota integer, heads bigint[], max_retries integer, target text
  )
),
ready as (
  select distinct on (wanted.lane) wanted.*, pairs.priority
  from wanted
  join pairs using (lane)
  where heads is not null or (
    select true
    from dlq_events
    where is_open and lane = pairs.lane and priority = pairs.priority
      and retry_after <= :dueAt
      and (status <> 'PROCESSING' or lease_expires_at <= now())
    order by retry_after
    limit 1
  )
  order by wanted.lane, pairs.priority
),
probed as (
  -- Whoever moves probe_after has the probe; if it is never heard of again, the next one may try after the lease.
  update dlq_breakers
  set state = 'HALF_OPEN', probe_after = now() + make_interval(secs => :leaseSeconds), updated_at = now()
  where state <> 'CLOSED' and probe_after <= now() and target in (select target from ready)
  returning target
),
due as (
  select
    ready.*, breaker.target is not null as is_probe,
    row_number() over (partition by ready.target order by random()) as place_at_target
  from ready
  left join dlq_breakers as breaker on breaker.target = ready.target and breaker.state <> 'CLOSED'
  where breaker.target is null or breaker.target in (select target from probed)
),
shares as (
  -- Where there are more lanes than the batch has room for, chance decides, or some would never have their turn.
  select due.*, case when is_probe then 1 else (:limit::int + count(*) over () - 1) / count(*) over () end as share
  from due
  where not is_probe or place_at_target = 1
  order by random()
),
locked_due as (
  select shares.route, shares.quota, shares.target, event.*
  from shares
  cross join lateral (
    select id, retry_count, updated_at, status = 'PROCESSING' as is_lost
    from dlq_events
    where is_open and lane = shares.lane and priority = shares.priority
      and retry_after <= :dueAt
      and (status <> 'PROCESSING' or lease_expires_at <= now())
    order by retry_after
    limit least(shares.share, shares.quota)
    for update skip locked
  ) as event
  where heads is null
),
locked_heads as (
  select shares.route, shares.quota, shares.target, event.*
  from shares
  cross join lateral (
    select id, retry_count, updated_at, status = 'PROCESSING' as is_lost
    from dlq_events as head
    where id = any (shares.heads) and retry_after <= :dueAt
      and (status = 'PENDING' or status = 'PROCESSING' and lease_expires_at <= now())
      and id = (
        select first.id
        from dlq_events as first
        where first.holds_back and first.lane = head.lane and first.source_key = head.source_key
        order by first.id
        limit 1
      )
    order by priority, retry_after
    limit least(shares.share, shares.quota)
    for update skip locked
  ) as event
),
locked as (
  select * from locked_due
  union all
  select * from locked_heads
),
picked as materialized (
  select *
  from (select locked.*, row_number() over (partition by route) as place_on_route from locked) as ranked
  where place_on_route <= quota
  limit :limit::int
),
lost as (
  insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms, error)
  select
    id, :runId, retry_count + 1, 'lost', target, updated_at,
    least(extract(epoch from now() - updated_at) * 1000, 2147483647), 'The worker disappeared before it could settle.'
  from picked
  where is_lost
)
update dlq_events as event
set (status, retry_count, processed_at, lease_token, lease_expires_at) = (
      select
        case when is_last then 'FAILED_PERMANENTLY' else 'PROCESSING' end,
        event.retry_count + is_lost::int,
        case when is_last then now() end,
        case when not is_last then :leaseToken::uuid end,
        case when not is_last then now() + make_interval(secs => :leaseSeconds) end
      from (
        select is_lost, is_lost and event.retry_count + 1
          >= coalesce(event.max_retries, (select max_retries from wanted where lane = event.lane)) as is_last
        from (select event.status = 'PROCESSING' as is_lost) as old
      ) as next
    ),
    updated_at = now()
where id = any (array(select id from picked))
returning
  id, event_key, event_type, body, payload_encoding, content_type, headers, source_kind, source_topic, source_key,
  source_key_bytes, consumer_group, trace_id, retry_count, max_retries, failure_count, status,
  id = any (array(select id from picked where is_lost)) as was_lost,
  case when body is null then payload::text end as payload_text;
