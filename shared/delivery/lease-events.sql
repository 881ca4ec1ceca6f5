-- Each event is looked at again: a tick takes what is due at :dueAt; a replay, without :dueAt, what waits in
-- it and is as it was selected; on an ordered route only the first event of a key. A replay that is paused or
-- has ended takes nothing, and no more than :upTo in total: its row is locked, so that a pause takes effect
-- here and its workers lease one after another; what one settles meanwhile is seen by the lock on its event.
-- Its first delivery begins the retries again. With a join, stale statistics would make it a table scan.
with run as materialized (
  select id, delivered + failed + in_flight as begun
  from dlq_runs
  where id = :runId::bigint and :dueAt::timestamptz is null and ended_at is null and paused_because is null
  for no key update
),
taken as materialized (
  select event.*
  from records(:events) as wanted (id bigint, is_ordered boolean)
  cross join lateral (
    select id, status, processed_at
    from dlq_events as event
    where id = wanted.id and status <> 'PROCESSING'
      and (not wanted.is_ordered
        or dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), id) is null)
      and case
        when :dueAt::timestamptz is not null then status = 'PENDING' and retry_after <= :dueAt
        else status = coalesce((
          select case when event.status in ('PENDING', 'FAILED_PERMANENTLY') then event.status else status end
          from (
            select * from dlq_run_events where run_id = (select id from run) and event_id = wanted.id
            limit 1 for no key update skip locked
          ) as own
          where outcome = 'waiting' and not is_leased and failure_count = event.failure_count
        ), '')
      end
    for update skip locked
  ) as event
  limit (select greatest(:upTo::int - begun, 0) from run where :upTo::int is not null)
),
leased as (
  update dlq_events as event
  set status = 'PROCESSING', lease_token = :leaseToken::uuid,
      lease_expires_at = now() + make_interval(secs => :leaseSeconds),
      delivery_count = event.delivery_count + 1,
      retry_count = case when :dueAt::timestamptz is not null or exists (select from dlq_attempts
        where event_id = event.id and run_id = :runId) then event.retry_count else 0 end,
      retry_after = case when event.retry_after = 'infinity' then now() else event.retry_after end,
      processed_at = null, updated_at = now()
  where event.id = any (array(select id from taken))
  returning event.id, event_type, source_kind, source_topic, source_key, consumer_group, trace_id, answer,
    retry_count, max_retries, delivery_count, failure_count, coalesce(edited_from, event.id) as captured_id
),
lease as (
  insert into dlq_leases (token, run_id, event_ids, seconds)
  select :leaseToken, :runId, array_agg(id), :leaseSeconds from taken having count(*) > 0
),
held as (
  update dlq_run_events as run_event
  set is_leased = true, status = taken.status, processed_at = taken.processed_at
  from taken
  where run_id = :runId and event_id = taken.id and event_id = any (array(select id from taken))
)
select leased.*, taken.status, taken.processed_at::text, extract(epoch from now())::float8 as leased_at
from leased join taken using (id);
