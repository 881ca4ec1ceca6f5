select id, at, actor, reason
from dlq_audit as stop
where details ? 'target' and details ->> 'target' = '*' and exists (
    select from dlq_breakers where held_at = stop.at and held_until > now()
  )
order by id desc
limit 1;
