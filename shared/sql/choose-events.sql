-- The next events, in order of id, that an act of a person would change: none that is being delivered right now.
select event.id
from dlq_events as event
where (:filter)
  and event.id > :after and event.id <= :upTo
  and (event.status <> 'PROCESSING' or event.lease_expires_at <= now())
  and event.priority is distinct from :priority
order by event.id
limit :most;
