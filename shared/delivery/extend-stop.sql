-- Holds targets that a route has brought since a stop of everything.
insert into dlq_breakers (target, held_at, held_by, held_reason, held_until)
select new.target, held_at, held_by, held_reason, held_until
from dlq_breakers as stop
cross join unnest(:targets::text[]) as new (target)
where (stop.target, cause) = ('*', -1) and held_until > now()
on conflict do nothing;
