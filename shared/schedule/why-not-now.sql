-- Why the schedule does not send an event now, by the rules of its route and the order of its key. A closed
-- event has no row.
select
  case
    when status = 'FAILED_PERMANENTLY' then 'undecided'
    when blocked_by is not null then 'blocked'
    else dlq_why_not_now(event, :rules::json)
  end as reason,
  blocked_by::text, retry_after as due_at, cause::text
from dlq_events as event
-- Looked up once, and not for each use of its column.
cross join lateral (
  select case when :isOrdered and status = 'PENDING' then dlq_blocked_by(event) end as blocked_by offset 0
) as key
where id = :id::bigint and (is_open or is_blocking);
