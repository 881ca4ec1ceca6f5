-- Holds each of these targets that has no breaker yet while a stop of everything is in force: a route has
-- brought it since.
insert into dlq_breakers (target, held_at, held_by, held_reason, held_until)
select new.target, held_at, held_by, held_reason, held_until
from dlq_breakers as stop
cross join unnest(:targets::text[]) as new (target)
where (stop.target, cause) = ('*', -1) and held_until > now()
on conflict do nothing;
