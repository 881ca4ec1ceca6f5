-- What people did to one event, the latest first.
select id, at, actor, act, reason, run_id, details
from dlq_audit
where event_id = :eventId
order by id desc
limit :most;
