-- Leases up to :limit events that were due at :dueAt, under :leaseToken. :lanes lists the lanes to claim from, each with
-- its route, the route's quota for this claim, its retry limit, its target and the rules by which it refuses events
-- (dlq_refusal). A lane lists the `fronts` of its priorities, as find-fronts.sql found them: the claim takes no event before
-- them. An ordered lane lists its key `heads` as find-heads.sql found them; the claim checks that they still are the first of
-- their keys.
--
-- Longer than 60 lines, because a claim is one round trip over one snapshot, and concurrent claims must see one state.
--
-- The lowest priority goes first, across all lanes; lanes of one priority get equal shares. So that no backlog starves
-- another, every eleventh event is one of a higher priority number, if any is due, from each of these lanes alike. Both are
-- positions in one order, `rank`, of which a claim takes the first events, however few its limits allow. Within a lane and
-- priority, the event goes first that has been due longest.
--
-- A target that an operator holds gets nothing. One whose breaker is open gets nothing, or after its cooldown a single event
-- as a probe. One whose breaker has closed gets what the current second of its ramp has left; the next second begins with the
-- first claim after it. Refused events count for neither: they are leased to be settled, and not sent.
--
-- An event with an expired lease that had been sent was lost with its worker: that costs a retry like any failure, and may be
-- the last one. One that had not been sent is claimed as if nothing had happened. An event that is lost :maxLost times in a row
-- fails permanently: it would kill every worker. `losses` says how many times it was lost among its latest :maxLost attempts.
--
-- From the lock on, rows have the columns that are used: each CTE and sort stores all of them.
--
-- The plan must stay the same for any batch, table and statistics, which are out of date when a million failures arrive
-- at once:
-- - Rows are locked in a materialized CTE: otherwise the planner may run a LIMIT twice and claim more than requested.
-- - The update finds rows with = ANY (ARRAY (...)), always by primary key: a join may become a scan.
-- - `ready` has no condition: with an estimate of one row, the join of the update would read each row once per row.
-- - Lookups of one row use LIMIT 1: EXISTS may become a join with the whole backlog.
-- - Scans of due events in order use status <> 'PROCESSING': the planner takes status = 'PENDING' for as rare as open
--   events among closed ones, and sorts all of them to find the first.
-- - Lookups of heads do not mention is_open: the planner would use the index of all due events.
with recursive wanted as (
  select *
  from json_to_recordset(:lanes) as lane (
    lane bigint, route integer, quota integer, fronts json, heads bigint[], head_priority smallint, max_retries integer,
    target text, rules json
  )
),
ready as (
  select wanted.*, front.*
  from wanted
  cross join json_to_recordset(fronts) as front (priority smallint, retry_after timestamptz, id bigint)
  union all
  select *, coalesce(head_priority, 0), null, null from wanted where heads is not null
),
breakers as materialized (
  -- Locked: of two concurrent claims, one finds the probe or the ramp, and the other nothing. If the worker of a probe dies,
  -- another claim may probe after the lease. A ramp without further steps is over: its throttle is null.
  select *, case when state = 'CLOSED' then ramp[1] else 1 end as throttle
  from (
    select target, state, case when ramp_step_at <= now() - interval '1 second' then ramp[2:] else ramp end as ramp,
      case when ramp_step_at > now() - interval '1 second' then ramp_step_at else now() end as ramp_step_at
    from dlq_breakers
    where target in (select target from ready) and held_at is null and (probe_after <= now() or ramp is not null)
    for no key update skip locked
  ) as locked
),
due as (
  -- The lanes of a target share what it is allowed; the first ones get the remainder.
  select *, least(quota, (throttle + lanes_at_target - position_at_target) / lanes_at_target) as max
  from (
    select
      ready.*, random() as luck, throttle, row_number() over at_target as position_at_target,
      count(*) over (partition by ready.target) as lanes_at_target
    from ready
    left join dlq_breakers as breaker
      on breaker.target = ready.target and (breaker.state <> 'CLOSED' or num_nonnulls(breaker.ramp, breaker.held_at) > 0)
    left join breakers on breakers.target = ready.target
    where breaker.target is null or breakers.target is not null and throttle is distinct from 0
    window at_target as (partition by ready.target order by ready.priority, random())
  ) as throttled
),
levels as (
  select priority, count(*)::int as lanes from due group by priority
),
filled as (
  -- How many events precede each priority, until there are enough. They are counted only if there are several priorities.
  (select priority, lanes, 0 as before from levels order by priority limit 1)
  union all
  select lower.priority, lower.lanes, before + (
      select coalesce(sum(least(due.max, coalesce(cardinality(heads), (
        select count(*)
        from (
          select from dlq_events
          where is_open and lane = due.lane and priority = due.priority
            and (retry_after, id) >= (due.retry_after, due.id) and retry_after <= :dueAt
            and (status <> 'PROCESSING' or lease_expires_at <= now())
          order by retry_after, id
          limit (:limit::int - before + filled.lanes - 1) / filled.lanes
        ) as first
      )))), 0)
      from due
      where due.priority = filled.priority
    )::int
  from filled
  cross join lateral (select * from levels where priority > filled.priority order by priority limit 1) as lower
  where before < :limit::int
),
lower_levels as materialized (
  select sum(lanes)::int as lower_lanes from levels where priority > (select min(priority) from levels)
),
shares as (
  select
    lane, priority, retry_after as front, id as front_id, route, quota, max_retries, target, rules, heads, luck, lanes, before,
    share, lower_lanes, lower_share,
    least(greatest(share, lower_share, 0), due.max) as max
  from due
  left join filled using (priority)
  cross join lower_levels
  cross join lateral (
    select
      (:limit::int - before + lanes - 1) / lanes as share,
      -- In random order: with more lanes than events, some would otherwise never be claimed.
      case when before is distinct from 0 then floor(:limit::int / (10.0 * lower_lanes) + luck)::int end as lower_share
  ) as parts
),
locked_due as (
  select route, quota, target, luck, lanes, before, share, lower_lanes, lower_share, event.*
  from shares
  cross join lateral (
    select *, row_number() over () as nth from (
      select id, retry_count, coalesce(max_retries, shares.max_retries) as retry_limit, updated_at, lease_token, delivery_count,
        case when rules is not null or failure_kind = 'permanent'
          then dlq_refusal(created_at, reopened_at, last_failure_at, status, failure_kind, error_class, rules) end as refusal
      from dlq_events
      where is_open and lane = shares.lane and priority = shares.priority
        and (retry_after, id) >= (front, front_id) and retry_after <= :dueAt
        and (status <> 'PROCESSING' or lease_expires_at <= now())
      order by retry_after, id
      limit shares.max
      for update skip locked
    ) as first
  ) as event
  where heads is null
),
locked_heads as (
  select route, quota, target, luck, lanes, before, share, lower_lanes, lower_share, event.*
  from shares
  cross join lateral (
    select *, row_number() over () as nth from (
      select id, retry_count, coalesce(max_retries, shares.max_retries) as retry_limit, updated_at, lease_token, delivery_count,
        case when rules is not null or failure_kind = 'permanent'
          then dlq_refusal(created_at, reopened_at, last_failure_at, status, failure_kind, error_class, rules) end as refusal
      from dlq_events as head
      where id = any (shares.heads) and retry_after <= :dueAt
        and (status = 'PENDING' or status = 'PROCESSING' and lease_expires_at <= now())
        and id = (
          select first.id from dlq_events as first
          where first.is_blocking and first.lane = head.lane and first.source_key = head.source_key
          order by first.sequence, first.id limit 1
        )
      order by priority, retry_after
      limit shares.max
      for update skip locked
    ) as first
  ) as event
  where heads is not null
),
ranked as (
  select
    id, retry_count, retry_limit, updated_at, lease_token, delivery_count, refusal, route, quota, target, nth, least(
      case when nth <= share then before + (nth - luck) * lanes end,
      case when nth <= lower_share then 10 * (nth - luck) * lower_lanes end
    ) as rank
  from (select * from locked_due union all select * from locked_heads) as locked
),
picked as materialized (
  select id, retry_count, updated_at, lease_token, delivery_count, refusal, target, nth, losses,
    losses > 0 and (losses >= :maxLost::int or retry_count + 1 >= retry_limit) as is_last
  from (
    select
      *, case
        when positioned.lease_token is not null and (
          select true from dlq_sends where lease_token = positioned.lease_token and positioned.id = any (event_ids) limit 1
        ) then (
          -- Of the attempts since it was opened.
          select 1 + count(*)::int
          from (
            select outcome from dlq_attempts where event_id = positioned.id
            order by dlq_attempts.id desc limit least(:maxLost::int - 1, retry_count)
          ) as latest
          where outcome = 'lost'
        )
        else 0
      end as losses
    from (select *, row_number() over (partition by route order by rank) as position_on_route from ranked) as positioned
    where position_on_route <= quota
    order by rank
    limit :limit::int
  ) as limited
),
throttled as (
  update dlq_breakers as breaker
  set state = case breakers.state when 'CLOSED' then 'CLOSED' else 'HALF_OPEN' end,
      probe_after = case when breakers.state <> 'CLOSED' then now() + make_interval(secs => :leaseSeconds) end,
      ramp = case when breakers.ramp <> '{}' then array_prepend((breakers.ramp[1] - taken.events)::int, breakers.ramp[2:]) end,
      ramp_step_at = case when breakers.ramp <> '{}' then breakers.ramp_step_at end,
      updated_at = now()
  from breakers
  join (select target, count(*) as events from picked where refusal is null group by target) as taken using (target)
  where breaker.target = breakers.target
),
lost as (
  insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms, error)
  select
    id, :runId, delivery_count, 'lost', target, updated_at,
    least(extract(epoch from now() - updated_at) * 1000, 2147483647), 'The worker disappeared before it could settle.'
  from picked where losses > 0
)
update dlq_events as event
set status = case when is_last then 'FAILED_PERMANENTLY' else 'PROCESSING' end,
    processed_at = case when is_last then now() end,
    lease_token = case when not is_last then :leaseToken::uuid end,
    lease_expires_at = case when not is_last then now() + make_interval(secs => :leaseSeconds) end,
    retry_count = event.retry_count + (losses > 0)::int,
    -- A lease that sent nothing counts for none.
    delivery_count = event.delivery_count + (not is_last and (picked.lease_token is null or losses > 0))::int,
    updated_at = now()
from picked
where event.id = picked.id and event.id = any (array(select id from picked))
returning event.id, lane::text, priority, retry_after::text, nth::int, event_type, source_kind, source_topic, source_key,
  consumer_group, trace_id, event.retry_count, max_retries, event.delivery_count, status, losses, refusal;
