-- What an act of a person would come to: how many events it would change, by status, and how many are being delivered
-- right now, which it leaves alone.
select
  event.status, count(*)::int as events,
  event.status = 'PROCESSING' and event.lease_expires_at > now() as is_leased
from dlq_events as event
where (:filter) and event.id <= :upTo and event.priority is distinct from :priority
group by event.status, is_leased
order by event.status, is_leased;
