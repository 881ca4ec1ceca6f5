-- Why the schedule does not send an event now, by the rules of its route and the order of its key. A closed event has no row.
select
  case
    when status = 'FAILED_PERMANENTLY' then 'undecided'
    when :isOrdered and status = 'PENDING' and dlq_blocked_by(event) is not null then 'blocked'
    else dlq_why_not_now(event, :rules::json)
  end as reason,
  case when :isOrdered and status = 'PENDING' then dlq_blocked_by(event)::text end as blocked_by,
  retry_after as due_at
from dlq_events as event
where id = :id::bigint and (is_open or is_blocking);
