-- Leases up to :limit events that were due at :dueAt, under :leaseToken. :lanes lists the lanes to claim from, each with
-- its route, the route's quota for this claim, its retry limit and its target. An ordered lane lists its key `heads` as
-- find-heads.sql found them; the claim checks that they still are the first of their keys.
--
-- Longer than 60 lines, because a claim is one round trip over one snapshot: breakers, shares and locks of two
-- concurrent claims must not see different states.
--
-- Each lane with due events gets an equal share, so that no backlog starves another. Within a lane the lowest priority
-- goes first, then the event that has been due longest. A target whose breaker is open gets nothing, or after its cooldown
-- a single event as a probe.
--
-- An event with an expired lease that had been sent was lost with its worker: that costs a retry like any failure, and may be
-- the last one. One that had not been sent is claimed as if nothing had happened. An event that is lost :maxLost times in a row
-- fails permanently: it would kill every worker.
--
-- The plan must stay the same for any batch, table and statistics, which are out of date when a million failures arrive
-- at once:
-- - Rows are locked in a materialized CTE: otherwise the planner may run a LIMIT twice and claim more than requested.
-- - The update finds rows with = ANY (ARRAY (...)), always by primary key: a join may become a scan.
-- - Lookups of one row use LIMIT 1: EXISTS may become a join with the whole backlog.
-- - Scans of due events in order use status <> 'PROCESSING': the planner takes status = 'PENDING' for as rare as open
--   events among closed ones, and sorts all of them to find the first.
-- - Lookups of heads do not mention is_open: the planner would use the index of all due events.
with recursive pairs as (
  -- Every (lane, priority) with open events, by one index lookup each, however many events it has.
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
  -- The claim that moves probe_after has the probe. If its worker dies, another claim may probe after the lease.
  update dlq_breakers
  set state = 'HALF_OPEN', probe_after = now() + make_interval(secs => :leaseSeconds), updated_at = now()
  where state <> 'CLOSED' and probe_after <= now() and target in (select target from ready)
  returning target
),
due as (
  select
    ready.*, breaker.target is not null as is_probe,
    row_number() over (partition by ready.target order by random()) as position_at_target
  from ready
  left join dlq_breakers as breaker on breaker.target = ready.target and breaker.state <> 'CLOSED'
  where breaker.target is null or breaker.target in (select target from probed)
),
shares as (
  -- In random order: with more lanes than events in a batch, some would otherwise never be claimed.
  select due.*, case when is_probe then 1 else (:limit::int + count(*) over () - 1) / count(*) over () end as share
  from due
  where not is_probe or position_at_target = 1
  order by random()
),
locked_due as (
  select shares.route, shares.quota, shares.target, event.*
  from shares
  cross join lateral (
    select id, retry_count, updated_at, lease_token
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
    select id, retry_count, updated_at, lease_token
    from dlq_events as head
    where id = any (shares.heads) and retry_after <= :dueAt
      and (status = 'PENDING' or status = 'PROCESSING' and lease_expires_at <= now())
      and id = (
        select first.id
        from dlq_events as first
        where first.is_blocking and first.lane = head.lane and first.source_key = head.source_key
        order by first.sequence, first.id
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
  select
    ranked.*,
    (
      select true from dlq_sends where lease_token = ranked.lease_token and ranked.id = any (event_ids) limit 1
    ) is true as is_lost
  from (select locked.*, row_number() over (partition by route) as position_on_route from locked) as ranked
  where position_on_route <= quota
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
        select is_lost, is_lost and (
          event.retry_count + 1 >= coalesce(event.max_retries, (select max_retries from wanted where lane = event.lane))
          -- Of the attempts since it was opened.
          or :maxLost::int <= 1 + (
            select count(*)
            from (
              select outcome
              from dlq_attempts
              where event_id = event.id
              order by dlq_attempts.id desc
              limit least(:maxLost::int - 1, event.retry_count)
            ) as latest
            where outcome = 'lost'
          )
        ) as is_last
        from (select event.id = any (array(select id from picked where is_lost)) as is_lost) as old
      ) as next
    ),
    updated_at = now()
where id = any (array(select id from picked))
returning
  id, dlq_redelivery(id, redelivery_token) as redelivery, dlq_damaged(metadata) as damaged, event_key, event_type, body, payload_encoding, content_type, headers, source_kind, source_topic, source_key,
  source_key_bytes, consumer_group, trace_id, retry_count, max_retries, failure_count, status,
  id = any (array(select id from picked where is_lost)) as was_lost,
  case when body is null then payload::text end as payload_text;
