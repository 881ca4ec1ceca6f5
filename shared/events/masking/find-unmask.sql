-- The audit entries, if this operator unmasked this event in the last :minutes.
select id
from dlq_audit
where event_id = :eventId::bigint and action = 'unmask' and actor = :actor
  and at > now() - make_interval(mins => :minutes);
