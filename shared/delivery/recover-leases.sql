-- `target`: the event was sent there, which costs a retry. is_given_up: that happened :maxLost times in a
-- row, and would end every worker. Status and failure count are those before the lease, as far as known.
with ended as materialized (
  select token, run_id, event_ids, leased_at
  from dlq_leases
  where target is null and now() - leased_at >= make_interval(secs => seconds) and (
    exists (select from dlq_runs where id = run_id and trigger = 'replay' for no key update skip locked)
    or not exists (select from dlq_runs where id = run_id and trigger = 'replay')
  )
  order by random()
  limit 10
)
select event.id, token as lease_token, ended.run_id, send.target, coalesce(own.status, 'PENDING') as status,
  own.processed_at::text, coalesce(own.failure_count, event.failure_count - is_told::int) as failure_count,
  event.answer, leased_at as started_at,
  least(extract(epoch from now() - leased_at) * 1000, 2147483647)::int as duration_ms,
  target is not null and (
    select count(*) filter (where outcome = 'lost') >= :maxLost::int - 1
    from (
      select outcome from dlq_attempts where event_id = event.id
      order by dlq_attempts.id desc limit least(:maxLost::int - 1, event.retry_count)
    ) as latest
  ) as is_given_up
from ended
cross join lateral unnest(event_ids) as leased (event_id)
cross join lateral (
  select id, retry_count, failure_count, failed_delivery = delivery_count as is_told, answer
  from dlq_events
  -- A loop of plain SQL may have extended its lease.
  where id = leased.event_id and lease_token = token and lease_expires_at <= now()
  offset 0
) as event
left join lateral (
  select target from dlq_leases as sent
  where sent.token = ended.token and target is not null and event.id = any (sent.event_ids) limit 1
) as send on true
left join lateral (
  select status, failure_count, processed_at from dlq_run_events
  where run_id = ended.run_id and event_id = event.id limit 1
) as own on true;
