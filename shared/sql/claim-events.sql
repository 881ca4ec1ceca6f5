-- Leases up to :limit events that were due at :dueAt, from the lanes in :lanes, to the holder of :leaseToken.
-- Each lane that has any gets an equal share, so that no backlog starves another; within a lane the lowest
-- priority goes first, then what has been due longest.
--
-- Two things keep the plan the same for any batch and any table. Rows are locked inside a materialized CTE, for
-- the planner may otherwise run a LIMIT twice and claim more than asked. And the update looks them up with
-- = ANY (ARRAY (...)), which is always a walk over the primary key, where a join may turn into a scan.
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
shares as (
  select distinct on (lane) lane, priority
  from pairs
  where lane = any (:lanes::bigint[])
    and exists (
      select
      from dlq_events as event
      where event.is_open and event.lane = pairs.lane and event.priority = pairs.priority
        and event.retry_after <= :dueAt
        and (event.status = 'PENDING' or event.lease_expires_at <= now())
    )
  order by lane, priority
),
picked as materialized (
  select due.id
  -- Where there are more lanes than the batch has room for, chance decides, or some would never have their turn.
  from (select lane, priority from shares order by random()) as shares
  cross join lateral (
    select id
    from dlq_events
    where is_open and lane = shares.lane and priority = shares.priority
      and retry_after <= :dueAt
      and (status = 'PENDING' or lease_expires_at <= now())
    order by retry_after
    limit (select (:limit::int + count(*) - 1) / count(*) from shares)
    for update skip locked
  ) as due
  limit :limit::int
)
update dlq_events
set status = 'PROCESSING',
    lease_token = :leaseToken,
    lease_expires_at = now() + make_interval(secs => :leaseSeconds),
    updated_at = now()
where id = any (array(select id from picked))
returning
  id, event_key, event_type, body, payload_encoding, content_type, headers, source_kind, source_topic, source_key,
  consumer_group, trace_id, retry_count, max_retries, failure_count,
  case when body is null then payload::text end as payload_text;
