-- Records a batch: outcomes, attempts, and the progress of a replay. Only events that still carry the worker's lease token are
-- changed: a worker that lost its lease changes nothing. Returns the ids that were settled, and with is_locked those that another
-- transaction has locked: they are unchanged, and the others do not wait for them.
--
-- Without an outcome nothing was sent: the event is as before its lease. If its consumer has reported the failure of this very
-- delivery meanwhile, it was not delivered, whatever its target answered. If it was closed before, and its consumer has
-- reported a failure, it is open. What the consumer decided is decided. An answer never replaces a reason.
with locked as materialized (
  select outcomes.*, event.*
  from records(:settlements) as outcomes (
    id bigint, lease_token uuid, failure_count integer, status text, failed_status text, processed_at timestamptz,
    retry_in_seconds double precision, failure_kind text, is_restored boolean, outcome text, target text, started_at timestamptz,
    duration_ms integer, response_status integer, response_body text, answer text, fingerprint text, skip_reason text,
    skip_detail text, sent_digest text
  )
  left join lateral (
    select
      id as locked_id, coalesce(outcome not in ('delivered') and not is_restored, false) as is_failed,
      coalesce(outcome = 'delivered' and failed_delivery = delivery_count, false) as is_told,
      dlq_events.failure_count > outcomes.failure_count as is_recaptured, dlq_events.failure_kind as decided
    from dlq_events
    where id = outcomes.id and lease_token = outcomes.lease_token and (
      exists (select from dlq_run_events where run_id = :runId and event_id = outcomes.id for no key update skip locked)
      or not exists (select from dlq_run_events where run_id = :runId and event_id = outcomes.id)
    )
    for no key update skip locked
  ) as event on true
),
settled as (
  update dlq_events as event
  set (status, processed_at) = (
        select next.status, case when next.status <> 'PENDING' then coalesce(locked.processed_at, now()) end
        from (select case
          when is_recaptured and decided = 'permanent' then 'FAILED_PERMANENTLY'
          when is_told or is_recaptured and locked.processed_at is not null then failed_status
          else locked.status
        end as status) as next
      ),
      retry_after = greatest(now() + make_interval(secs => retry_in_seconds), case
        when retry_in_seconds is null or is_recaptured then retry_after end),
      retry_count = event.retry_count + (is_failed or is_told)::int,
      delivery_count = event.delivery_count - (outcome is null)::int,
      failed_delivery = case when is_failed then delivery_count else least(failed_delivery, delivery_count - (outcome is null)::int) end,
      failure_kind = case when is_recaptured then coalesce(decided, locked.failure_kind) else coalesce(locked.failure_kind, decided) end,
      answer = case when outcome is null or is_restored then event.answer else locked.answer end,
      error_reason = case when is_failed and error_reason = 'not reported' then coalesce(locked.answer, error_reason) else error_reason end,
      fingerprint = case when is_failed and error_reason = 'not reported' then locked.fingerprint else event.fingerprint end,
      lease_token = null, lease_expires_at = null, updated_at = now()
  from locked
  where event.id = locked_id and event.id = any (array(select locked_id from locked))
  returning event.id, event.delivery_count, locked.outcome, is_told, target, started_at, duration_ms, response_status, response_body,
    locked.answer, skip_reason, skip_detail, sent_digest
),
attempts as (
  insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error)
  select id, :runId, delivery_count, outcome, target, started_at, duration_ms, response_status, response_body, answer
  from settled where outcome is not null
),
recorded as (
  update dlq_run_events as run_event
  set outcome = next, reason = coalesce(skip_reason, nullif(settled.outcome, 'delivered')), detail = skip_detail,
      sent_digest = decode(settled.sent_digest, 'base64'), settled_at = case when next <> 'waiting' then now() end,
      is_leased = false, processed_at = null
  from settled
  cross join lateral (select case
    when skip_reason is not null then 'skipped' when settled.outcome is null then 'waiting'
    when settled.outcome = 'delivered' then 'delivered' else 'failed'
  end as next) as outcomes
  where run_id = :runId and event_id = settled.id and event_id = any (array(select id from settled))
)
select id, false as is_locked from settled
union all
select id, true from locked
where locked_id is null and exists (select from dlq_events where id = locked.id and lease_token = locked.lease_token);
