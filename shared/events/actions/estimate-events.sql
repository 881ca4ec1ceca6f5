-- The number of events that an action would change, by status, and of those that are being delivered.
select
  event.status, count(*)::int as events,
  event.status = 'PROCESSING' and event.lease_expires_at > now() as is_leased
from dlq_events as event
where ({filter}) and event.id <= :upTo and event.priority is distinct from :priority
group by event.status, is_leased
order by event.status, is_leased;
