-- Records a batch: outcomes, attempts, and the progress of a replay. Only events that still carry the worker's lease
-- token are changed: a worker that lost its lease changes nothing. Returns the ids that were settled, and with is_locked
-- those that another transaction has locked, themselves or in the replay: they are unchanged, and the others do not wait for them.
--
-- Longer than 60 lines, because an event, its attempt and its row in a replay must change together or not at all.
--
-- A delivered event whose consumer reported the failure of this delivery meanwhile has recurred: it stays open, or fails
-- permanently after :maxRecurrences recurrences. So has a closed event that a replay returns to its state, which includes its processed_at.
-- What the consumer decided then is decided: a permanent failure fails permanently, and a retry is not earlier than it asked for.
--
-- The lists of records are read where their columns are used: each part keeps its rows, and a row costs by its columns.
with locked as materialized (
  -- One lookup by primary key each: with a join, the planner may scan a small table once per outcome.
  select leased.*, event.id as locked_id
  from records(:settlements) as leased (id bigint, lease_token uuid)
  left join lateral (
    select id
    from dlq_events
    where id = leased.id and lease_token = leased.lease_token
    for no key update skip locked
  ) as event on true
),
-- Rows of the replay. A tick has none.
of_run as materialized (
  select event_id from dlq_run_events where run_id = :runId and event_id = any (array(select locked_id from locked))
),
free_of_run as materialized (
  select event_id
  from dlq_run_events
  where run_id = :runId and event_id = any (array(select event_id from of_run))
  for no key update skip locked
),
free as not materialized (
  select
    locked.*,
    case
      when locked_id not in (select event_id from of_run) or locked_id in (select event_id from free_of_run) then locked_id
    end as free_id
  from locked
),
settled as (
  update dlq_events as event
  set (status, processed_at, retry_after) = (
        select
          next.status,
          case
            when next.status = 'PENDING' then null
            when next.status = outcomes.status then coalesce(outcomes.processed_at, now())
            else now()
          end,
          greatest(
            coalesce(
              case when next.status = outcomes.status then outcomes.retry_after end,
              now() + make_interval(secs => outcomes.retry_in_seconds),
              event.retry_after
            ),
            case when event.failed_delivery = event.delivery_count then event.retry_after end
          )
        from (
          select case
            when event.failed_delivery = event.delivery_count and event.failure_kind = 'permanent' then 'FAILED_PERMANENTLY'
            when event.failed_delivery < event.delivery_count then outcomes.status
            when outcomes.status <> 'SUCCEEDED' and outcomes.processed_at is null then outcomes.status
            when event.failure_count > :maxRecurrences::int then 'FAILED_PERMANENTLY'
            else 'PENDING'
          end as status
        ) as next
      ),
      retry_count = event.retry_count + (outcomes.is_failure and event.failed_delivery < event.delivery_count)::int,
      failure_kind = case
        when event.failed_delivery = event.delivery_count then coalesce(event.failure_kind, outcomes.failure_kind)
        else coalesce(outcomes.failure_kind, event.failure_kind)
      end,
      -- Why the consumer failed is its word. If it said nothing, the first answer stands in for it.
      (error_reason, fingerprint, answer) = (
        select
          case when is_reason then outcomes.error else event.error_reason end,
          case when is_reason then outcomes.fingerprint else event.fingerprint end,
          case when is_answer then outcomes.error else event.answer end
        from (
          -- Without an attempt the schedule has refused the event.
          select outcomes.error is not null and outcomes.outcome is distinct from 'delivered' as is_answer
        ) as answered
        cross join lateral (
          select is_answer and outcomes.outcome is not null and event.error_reason = 'not reported'
            and num_nonnulls(event.error_class, event.error_stacktrace) = 0 as is_reason
        ) as silent
      ),
      delivery_count = greatest(event.delivery_count - (outcomes.outcome is null)::int, 0),
      failed_delivery = case
        when outcomes.outcome is null then least(event.failed_delivery, greatest(event.delivery_count - 1, 0))
        when outcomes.outcome = 'delivered' then event.failed_delivery
        else event.delivery_count
      end,
      lease_token = null,
      lease_expires_at = null,
      updated_at = now()
  from records(:settlements) as outcomes (
    id bigint, lease_token uuid, status text, is_failure boolean, retry_in_seconds double precision,
    retry_after timestamptz, processed_at timestamptz, failure_kind text, outcome text, target text, started_at timestamptz,
    duration_ms integer, response_status integer, response_body text, error text, fingerprint text, skip_reason text,
    skip_detail text, sent_digest text
  )
  where event.id = outcomes.id and event.lease_token = outcomes.lease_token and event.id = any (array(select free_id from free))
  returning
    event.id, event.delivery_count as number, outcome, target, started_at, duration_ms,
    response_status, response_body, error, skip_reason, skip_detail, sent_digest
),
attempts as (
  insert into dlq_attempts
    (event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error)
  select id, :runId, number, outcome, target, started_at, duration_ms, response_status, response_body, error
  from settled
  where outcome is not null
),
recorded as (
  update dlq_run_events as run_event
  set outcome = next.outcome,
      reason = coalesce(skip_reason, nullif(settled.outcome, 'delivered')),
      detail = skip_detail,
      sent_digest = decode(settled.sent_digest, 'base64'),
      settled_at = case when next.outcome <> 'waiting' then now() end,
      leased_until = null,
      target = null,
      retry_after = null,
      processed_at = null
  from settled
  cross join lateral (
    select case
      when skip_reason is not null then 'skipped'
      when settled.outcome is null then 'waiting'
      when settled.outcome = 'delivered' then 'delivered'
      else 'failed'
    end as outcome
  ) as next
  where run_event.run_id = :runId and run_event.event_id = settled.id
    -- Found by primary key, also in a replay that the statistics do not know yet: the join alone may read all its events.
    and run_event.event_id = any (array(select id from settled))
)
select id, false as is_locked from settled
union all
select id, true
from free
where free_id is null and exists (select from dlq_events where id = free.id and lease_token = free.lease_token);
