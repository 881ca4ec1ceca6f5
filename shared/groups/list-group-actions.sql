-- The latest 100 actions of operators and of the service on an error group and those merged into it.
select at, actor, action, reason, details
from dlq_audit
where details ? 'fingerprint' and details ->> 'fingerprint' = any (
    array(select member from dlq_group_members where fingerprint = :fingerprint) || :fingerprint::text)
  or details ? 'merged' and details ->> 'merged' = :fingerprint
order by id desc
limit 100;
