-- The latest 100 actions of operators and of the service on an error group.
select at, actor, action, reason, details
from dlq_audit
where details ? 'fingerprint' and details ->> 'fingerprint' = :fingerprint
order by id desc
limit 100;
