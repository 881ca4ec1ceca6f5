-- A closed event has no row. run_id: an open replay has selected it, which is what moves a permanent failure.
select
  wanted.id::text,
  case
    when status = 'FAILED_PERMANENTLY' then case when run_id is null then 'undecided' else 'in-run' end
    when lease_expires_at <= now() then 'lost'
    when blocked_by is not null then 'blocked'
    else dlq_why_not_now(event, wanted.rules::json)
  end as reason,
  blocked_by::text, run_id::text, nullif(retry_after, 'infinity') as due_at, cause::text
from records(:events) as wanted (id bigint, rules text, is_ordered boolean)
join dlq_events as event on event.id = wanted.id and is_blocking
-- Looked up once, and not for each use of its column.
cross join lateral (
  select case when wanted.is_ordered and status = 'PENDING'
    then dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), event.id) end as blocked_by
  offset 0
) as key
left join lateral (
  select run_id
  from dlq_runs
  join dlq_run_events as own on run_id = dlq_runs.id
  where ended_at is null and own.event_id = event.id and outcome = 'waiting'
  order by run_id
  limit 1
) as run on true;
