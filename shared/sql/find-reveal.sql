-- Whether this person has said, not long ago, why they want to see this event.
select id
from dlq_audit
where id = :auditId::bigint and event_id = :eventId::bigint and act = 'reveal' and actor = :actor
  and at > now() - make_interval(mins => :minutes);
