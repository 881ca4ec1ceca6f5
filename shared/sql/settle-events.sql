-- Records a whole batch: its outcomes and attempts, and what it tells of its targets' health
-- (:reports; `failed_in_row` are the failures after the last answer). Only events whose lease still carries the worker's token
-- are touched: a worker that lost its lease changes nothing. Returns what was settled; the rest came too late.
-- A delivered event that was captured again while it was being delivered has failed once more: it stays
-- open, or is left to people after :maxReturns such failures.
--
-- Of a replay's events the run is told as well, in the same statement. One that goes back, because nothing came of it,
-- is again exactly what it was before the run held it.
with outcomes as (
  select outcome.*, held.status as old_status, held.retry_after as old_retry_after, held.processed_at as old_processed_at
  from json_to_recordset(:settlements) as outcome (
    id bigint, lease_token uuid, failure_count integer, status text, is_failure boolean, retry_in_seconds double precision,
    outcome text, failure_kind text, target text, started_at timestamptz, duration_ms integer,
    response_status integer, response_body text, error text, fingerprint text,
    goes_back boolean, skip_reason text, skip_detail text, sent_digest text
  )
  left join dlq_run_events as held
    on held.run_id = :runId and held.event_id = outcome.id and held.leased_until is not null and outcome.goes_back
),
settled as (
  update dlq_events as event
  set (status, processed_at, retry_after) = (
        select
          next.status,
          case
            when next.status = outcomes.old_status then outcomes.old_processed_at
            when next.status <> 'PENDING' then now()
          end,
          case
            when next.status = outcomes.old_status then outcomes.old_retry_after
            else coalesce(now() + make_interval(secs => outcomes.retry_in_seconds), event.retry_after)
          end
        from (
          select case
            when wanted <> 'SUCCEEDED' or event.failure_count = outcomes.failure_count then wanted
            when event.failure_count > :maxReturns::int then 'FAILED_PERMANENTLY'
            else 'PENDING'
          end as status
          from (select coalesce(outcomes.old_status, outcomes.status) as wanted) as plain
        ) as next
      ),
      retry_count = event.retry_count + outcomes.is_failure::int,
      failure_kind = coalesce(outcomes.failure_kind, event.failure_kind),
      error_reason = case event.error_reason
        when 'not reported' then coalesce(outcomes.error, event.error_reason)
        else event.error_reason
      end,
      -- It follows the reason; where a class or a stack was told as well, it is taken later of the whole.
      fingerprint = case
        when event.error_reason <> 'not reported' or outcomes.error is null then event.fingerprint
        when event.error_class is null and event.error_stacktrace is null then outcomes.fingerprint
      end,
      lease_token = null,
      lease_expires_at = null,
      updated_at = now()
  from outcomes
  -- The token comes with each row: compared with a parameter, a small table is scanned once for each outcome.
  where event.id = outcomes.id and event.lease_token = outcomes.lease_token
  returning event.id, event.retry_count
),
attempts as (
  insert into dlq_attempts
    (event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error)
  select
    id, :runId, settled.retry_count + (not outcomes.is_failure)::int, outcomes.outcome, outcomes.target,
    outcomes.started_at, outcomes.duration_ms, outcomes.response_status, outcomes.response_body, outcomes.error
  from settled
  join outcomes using (id)
  where outcomes.outcome is not null
),
noted as (
  update dlq_run_events as run_event
  set (outcome, reason, detail, sent_digest, settled_at) = (
        select
          case outcomes.outcome when 'delivered' then 'delivered' else 'failed' end, nullif(outcomes.outcome, 'delivered'),
          null, decode(outcomes.sent_digest, 'base64'), now()
        where outcomes.outcome is not null
        union all
        select 'skipped', outcomes.skip_reason, outcomes.skip_detail, null, now() where outcomes.skip_reason is not null
        union all
        select 'waiting', null, null, null, null where coalesce(outcomes.outcome, outcomes.skip_reason) is null
      ),
      leased_until = null,
      target = null,
      retry_after = null,
      processed_at = null
  from settled
  join outcomes using (id)
  where run_event.run_id = :runId and run_event.event_id = settled.id
),
reports as (
  select *
  from json_to_recordset(:reports) as report (
    target text, answered integer, failed integer, failed_in_row integer,
    consecutive_limit integer, ratio_limit double precision, minimum integer,
    cooldown double precision, longest_cooldown double precision
  )
),
known as materialized (
  -- In order of target, so that two settlements cannot wait for each other.
  select * from dlq_breakers where target in (select target from reports) order by target for update
),
counted as (
  select
    reports.*, coalesce(known.state, 'CLOSED') as old_state, known.opened_at, known.cooldown_seconds, known.probe_after,
    failed_in_row + case when answered > 0 then 0 else coalesce(known.consecutive_failures, 0) end as consecutive_failures,
    answered + failed + coalesce(known.deliveries / (1 + (known.deliveries >= 100)::int), 0) as deliveries,
    failed + coalesce(known.failures / (1 + (known.deliveries >= 100)::int), 0) as failures
  from reports
  left join known using (target)
  -- A target that never failed has no row, and none of its deliveries writes one.
  where failed > 0 or known.failures > 0 or known.state <> 'CLOSED'
),
judged as (
  select
    *,
    case
      when old_state = 'OPEN' then 'OPEN'
      when old_state = 'HALF_OPEN' then case when failed_in_row > 0 then 'OPEN' else 'CLOSED' end
      when consecutive_failures >= consecutive_limit then 'OPEN'
      when deliveries >= minimum and failures >= ratio_limit * deliveries then 'OPEN'
      else 'CLOSED'
    end as state,
    case old_state
      when 'OPEN' then cooldown_seconds
      when 'HALF_OPEN' then least(2 * cooldown_seconds, longest_cooldown)
      else cooldown
    end as next_cooldown
  from counted
),
breakers as (
  insert into dlq_breakers as breaker (
    target, state, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probe_after
  )
  select
    target, state, consecutive_failures,
    -- Closed again after a probe: what was before says nothing any more.
    case when old_state = 'CLOSED' or state = 'OPEN' then deliveries else 0 end,
    case when old_state = 'CLOSED' or state = 'OPEN' then failures else 0 end,
    case state when 'OPEN' then coalesce(opened_at, now()) end,
    case state when 'OPEN' then next_cooldown end,
    case when state = 'OPEN' and old_state = 'OPEN' then probe_after
      when state = 'OPEN' then now() + make_interval(secs => next_cooldown) end
  from judged
  order by target
  on conflict (target) do update
  set (state, consecutive_failures, deliveries, failures, opened_at, cooldown_seconds, probe_after, updated_at) = (
    select
      excluded.state, excluded.consecutive_failures, excluded.deliveries, excluded.failures, excluded.opened_at,
      excluded.cooldown_seconds, excluded.probe_after, now()
  )
)
select id from settled;
