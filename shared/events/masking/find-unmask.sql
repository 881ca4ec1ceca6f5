-- The audit entry, if this operator unmasked this event in the last :minutes.
select id
from dlq_audit
where id = :auditId::bigint and event_id = :eventId::bigint and action = 'unmask' and actor = :actor
  and at > now() - make_interval(mins => :minutes);
