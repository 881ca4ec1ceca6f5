-- Records a whole batch of outcomes and its attempts. Only events whose lease still carries the worker's token
-- are touched: a worker that lost its lease changes nothing. Returns what was settled; the rest came too late.
-- A delivered event that was captured again while it was being delivered has failed once more: it stays
-- open, or is left to people after :maxReturns such failures.
with outcomes as (
  select *
  from json_to_recordset(:settlements) as outcome (
    id bigint, lease_token uuid, failure_count integer, status text, is_failure boolean, retry_in_seconds double precision,
    outcome text, failure_kind text, target text, started_at timestamptz, duration_ms integer,
    response_status integer, response_body text, error text
  )
),
settled as (
  update dlq_events as event
  set (status, processed_at) = (
        select next.status, case when next.status <> 'PENDING' then now() end
        from (
          select case
            when outcomes.status <> 'SUCCEEDED' or event.failure_count = outcomes.failure_count then outcomes.status
            when event.failure_count > :maxReturns::int then 'FAILED_PERMANENTLY'
            else 'PENDING'
          end as status
        ) as next
      ),
      retry_count = event.retry_count + outcomes.is_failure::int,
      retry_after = coalesce(now() + make_interval(secs => outcomes.retry_in_seconds), event.retry_after),
      failure_kind = coalesce(outcomes.failure_kind, event.failure_kind),
      error_reason = case event.error_reason
        when 'not reported' then coalesce(outcomes.error, event.error_reason)
        else event.error_reason
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
    id, :runId, settled.retry_count + (outcomes.outcome = 'delivered')::int, outcomes.outcome, outcomes.target,
    outcomes.started_at, outcomes.duration_ms, outcomes.response_status, outcomes.response_body, outcomes.error
  from settled
  join outcomes using (id)
  where outcomes.outcome is not null
)
select id from settled;
