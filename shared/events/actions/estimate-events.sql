-- The number of events that an action would change, and of those that are being delivered.
select count(*)::int as events, event.status = 'PROCESSING' and event.lease_expires_at > now() as is_leased
from dlq_events as event
where ({filter}) and event.id <= :upTo and {isOther}
group by is_leased;
