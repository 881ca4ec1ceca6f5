-- The next events that an action changes, in order of id. Events that are being delivered are excluded.
select event.id
from dlq_events as event
where ({filter})
  and event.id > :after and event.id <= :upTo
  and (event.status <> 'PROCESSING' or event.lease_expires_at <= now())
  and {isOther}
order by event.id
limit :max;
