-- Recovers the events that dead workers of replays held. An event returns to its previous state, with a "lost" attempt if it
-- had been sent, and waits in its run again. After :maxLost times it has failed, permanently if it was open and sent
-- as it was captured: an event that kills its workers must not kill all of them, nor those of the schedule. An event that
-- another worker has claimed since is not changed. If another session has locked the run, its events return all the same, and it
-- counts that later.
--
-- Longer than 60 lines, because an event, its attempt and its row in the run must change together or not at all.
--
-- Without statistics the planner expects many such rows. With = any (array (...)) it still looks up each one by key.
with timeout as materialized (
  select set_config('lock_timeout', '500ms', true)
),
expired as materialized (
  select run_id, event_id, leased_until, target, status, retry_after, processed_at, failure_count, lost + 1 as lost
  from timeout
  cross join dlq_run_events
  where leased_until <= now()
  order by leased_until
  limit 10000
  for update of dlq_run_events skip locked
),
runs as materialized (
  select id
  from dlq_runs
  where id = any (array(select distinct run_id from expired))
  order by id
  for no key update skip locked
),
locked as materialized (
  select id, delivery_count, lease_token, lease_expires_at, updated_at
  from dlq_events
  where id = any (array(select event_id from expired))
  order by id
  for update skip locked
),
lost as materialized (
  select
    expired.*, locked.delivery_count, locked.updated_at,
    is_ours,
    is_lost,
    is_counted,
    is_counted and is_lost and expired.lost >= :maxLost::int as is_given_up,
    -- By the run: the schedule delivers the original message to its own target.
    run.is_edited or run.request ->> 'target' is not null as is_edited
  from expired
  left join dlq_runs as run on run.id = expired.run_id
  left join locked on locked.id = expired.event_id
  left join lateral (select id from dlq_events where id = expired.event_id offset 0) as event on true
  cross join lateral (select coalesce(locked.lease_expires_at = leased_until, false) as is_ours) as held
  cross join lateral (
    select is_ours and (
      select true from dlq_sends where lease_token = locked.lease_token and locked.id = any (event_ids) limit 1
    ) is true as is_lost
  ) as sent
  -- Also if the run was deleted.
  cross join lateral (select run.id is null or run.id in (select id from runs) as is_counted) as counted
  -- An event that is locked now is recovered later; one that no longer exists is skipped by the next claim.
  where locked.id is not null or event.id is null
),
restored as (
  update dlq_events as event
  set (status, retry_after, processed_at) = (
        -- An event that was closed before and was captured again while the run held it is open.
        select
          case when fails then 'FAILED_PERMANENTLY' when has_recurred then 'PENDING' else lost.status end,
          case
            when has_recurred then greatest(event.retry_after, now())
            when event.failure_count > lost.failure_count then greatest(event.retry_after, lost.retry_after)
            else lost.retry_after
          end,
          case when fails then now() when not has_recurred then lost.processed_at end
        from (
          select
            lost.processed_at is not null and event.failure_count > lost.failure_count as has_recurred,
            is_given_up and not is_edited and lost.status = 'PENDING'
              or event.failure_count > lost.failure_count and event.failure_kind = 'permanent' as fails
        ) as next
      ),
      delivery_count = greatest(event.delivery_count - (not is_lost)::int, 0),
      failed_delivery = least(event.failed_delivery, greatest(event.delivery_count - (not is_lost)::int, 0)),
      lease_token = null,
      lease_expires_at = null,
      updated_at = now()
  from lost
  where event.id = lost.event_id and is_ours and event.id = any (array(select event_id from lost))
),
attempts as (
  insert into dlq_attempts (event_id, run_id, number, outcome, target, started_at, duration_ms, error)
  select
    event_id, run_id, delivery_count, 'lost', target, updated_at,
    least(extract(epoch from now() - updated_at) * 1000, 2147483647), 'The worker disappeared before it could settle.'
  from lost
  where is_lost
),
recorded as (
  update dlq_run_events as run_event
  set leased_until = null,
      target = null,
      retry_after = null,
      processed_at = null,
      lost = case when is_lost then lost.lost else run_event.lost end,
      outcome = case when is_given_up then 'failed' else 'waiting' end,
      reason = case when is_given_up then 'lost' end,
      settled_at = case when is_given_up then now() end
  from lost
  where run_event.run_id = lost.run_id and run_event.event_id = lost.event_id
    and run_event.run_id = any (array(select run_id from lost))
    and run_event.event_id = any (array(select event_id from lost))
    and is_counted
)
select run_id, event_id from lost where is_ours;
