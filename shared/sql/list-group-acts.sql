-- What people, and the office itself, did with an error group, the latest first.
select at, actor, act, reason, details
from dlq_audit
where details ? 'fingerprint' and details ->> 'fingerprint' = :fingerprint
order by id desc
limit 100;
