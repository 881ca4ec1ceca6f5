-- Recovers events whose lease has ended, whatever leased them: their worker has disappeared. An event returns to its state, as if
-- nothing had happened; if it had been sent, that was an attempt, and costs a retry. After :maxLost such attempts in a row it has
-- failed permanently: it would kill every worker. A failure that was reported meanwhile counts. What is locked is
-- recovered later. Fails if a row of a replay stays locked for half a second.
with timeout as materialized (
  select set_config('lock_timeout', '500ms', true)
),
ended as materialized (
  select token, run_id, event_ids
  from timeout
  cross join dlq_leases
  where leased_at <= now() - make_interval(secs => seconds) and (
    exists (select from dlq_runs where id = run_id and trigger = 'replay' for no key update skip locked)
    or not exists (select from dlq_runs where id = run_id and trigger = 'replay')
  )
  order by random()
  limit :max::int
  for update of dlq_leases skip locked
),
lost as materialized (
  select event.*, ended.run_id, send.target, coalesce(run_event.status, 'PENDING') as before, run_event.processed_at as closed_at,
    event.failure_count > run_event.failure_count and run_event.status <> 'PENDING' as is_recaptured,
    target is not null and (
      select count(*) filter (where outcome = 'lost') >= :maxLost::int - 1
      from (
        select outcome from dlq_attempts
        where event_id = event.id order by dlq_attempts.id desc limit least(:maxLost::int - 1, event.retry_count)
      ) as latest
    ) as is_given_up
  from ended
  cross join lateral unnest(event_ids) as leased (event_id)
  cross join lateral (
    select id, delivery_count - failed_delivery as untold, retry_count, failure_count, failure_kind, updated_at
    from dlq_events
    -- A loop of plain SQL may have extended its lease, by an hour at most: a later end is one of another clock.
    where id = leased.event_id and lease_token = token
      and lease_expires_at not between now() + interval '1 microsecond' and now() + interval '1 hour'
    for update skip locked
  ) as event
  left join lateral (
    select target from dlq_sends where lease_token = token and event.id = any (dlq_sends.event_ids) limit 1
  ) as send on true
  left join lateral (
    select status, failure_count, processed_at from dlq_run_events where run_id = ended.run_id and event_id = event.id limit 1
  ) as run_event on true
),
restored as (
  update dlq_events as event
  set status = next.status, processed_at = case when next.status <> 'PENDING' then coalesce(closed_at, now()) end,
      retry_count = event.retry_count + (target is not null)::int,
      delivery_count = event.delivery_count - (target is null)::int,
      failed_delivery = least(failed_delivery, event.delivery_count - (target is null)::int),
      answer = case when target is null then answer when answer in (:answer, :again) then :again else :answer end,
      lease_token = null, lease_expires_at = null, updated_at = now()
  from lost
  cross join lateral (select case
    when is_given_up or lost.failure_kind = 'permanent' and untold = 0 then 'FAILED_PERMANENTLY'
    when not is_recaptured then before else 'PENDING'
  end as status) as next
  where event.id = lost.id and event.id = any (array(select id from lost))
  returning event.id, lost.run_id, event.delivery_count, target, lost.updated_at, is_given_up
),
attempts as (
  insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms, error)
  select id, run_id, delivery_count, 'lost', target, updated_at,
    least(extract(epoch from now() - updated_at) * 1000, 2147483647), :answer
  from restored where target is not null
),
recorded as (
  update dlq_run_events as run_event
  set is_leased = false, processed_at = null, outcome = case when is_given_up then 'failed' else 'waiting' end,
      reason = case when is_given_up then 'lost' end, settled_at = case when is_given_up then now() end
  from restored
  where run_event.run_id = restored.run_id and event_id = restored.id and event_id = any (array(select id from restored))
)
select id, target, is_given_up from restored;
