-- Settles events, attempts, and the progress of a replay. Events that lost their lease stay as they are.
with locked as materialized (
  -- The status: as settled, or what a failure that its consumer has reported since the lease makes of it.
  -- `is_told`: the failure of this very delivery, whatever its target answered.
  select said.*, event.*, case when is_recaptured and decided = 'permanent' then 'FAILED_PERMANENTLY'
    when is_told or is_recaptured and processed_at is not null then failed_status else status end as next
  from records(:settlements) as said (
    id bigint, lease_token uuid, failure_count int, status text, failed_status text, processed_at timestamptz,
    retry_in_seconds float8, failure_kind text, is_failed bool, outcome text, target text, answer text,
    started_at timestamptz, duration_ms int, response_status int, response_body text, fingerprint text,
    run_outcome text, run_reason text, cause bigint, opens bool, crowd text)
  left join lateral (
    select id as locked_id, failure_count > said.failure_count as is_recaptured, failure_kind as decided,
      outcome = 'delivered' and failed_delivery = delivery_count as is_told,
      delivery_count - (outcome is null)::int as sends,
      error_reason = 'not reported' and said.fingerprint is not null as is_reason
    from dlq_events where id = said.id and lease_token = said.lease_token and (
      (select true from dlq_run_events where run_id = :runId and event_id = id) is null
      or exists (select from dlq_run_events where run_id = :runId and event_id = id for update skip locked))
    for no key update skip locked
  ) as event on true
),
settled as (
  update dlq_events as event
  set status = next,
      processed_at = case when next <> 'PENDING' then coalesce(locked.processed_at, now()) end,
      retry_after = greatest(now() + make_interval(secs => retry_in_seconds), case
        when outcome = 'delivered' and failed_status <> 'PENDING' then 'infinity'
        when retry_in_seconds is null or is_recaptured -- As far from the lease as by the clock of then.
          then retry_after - least(greatest(event.updated_at - now(), '0'), interval '1 year') end),
      retry_count = retry_count + (is_failed and failed_delivery < sends)::int, delivery_count = sends,
      failed_delivery = case when is_failed and outcome <> 'lost' then sends
        else least(failed_delivery, sends) end,
      failure_kind = coalesce(case when is_recaptured then decided end, locked.failure_kind, decided),
      answer = case when is_failed or outcome = 'delivered' then locked.answer else event.answer end,
      error_reason = case when is_reason then locked.answer else error_reason end,
      fingerprint = case when is_reason then dlq_group_of(locked.fingerprint, crowd, event_type,
        coalesce(source_subscription, consumer_group), null, locked.answer, null)
        else event.fingerprint end,
      cause = coalesce(locked.cause, case when opens is not true then event.cause end),
      lease_token = null, lease_expires_at = null, updated_at = now()
  from locked
  where event.id = locked_id and event.id = any (array(select locked_id from locked))
  returning locked.*
),
attempts as (
  insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms,
    response_status, response_body, error)
  select id, :runId, sends, outcome, target, least(started_at, now()), duration_ms, response_status,
    response_body, answer from settled where outcome is not null
),
recorded as (
  update dlq_run_events as run_event
  set outcome = run_outcome, reason = run_reason, is_leased = false,
      settled_at = case when run_outcome <> 'waiting' then now() end
  from settled
  where run_id = :runId and event_id = settled.id and event_id = any (array(select id from settled))
)
select id, lease_token, locked_id is null as is_locked from locked where locked_id is not null
  or (select true from dlq_events where id = locked.id and lease_token = locked.lease_token);
