-- Stores the rates of a configuration, which workers share; one without tokens has a full bucket. Those that
-- are as they should be are not locked, and one that is in use is not purged.
insert into dlq_breakers as rate (target, cause, pace)
select name, -2, per_second
from records(:rates) as wanted (name text, per_second float8)
where not exists (
  select from dlq_breakers
  where (target, cause, pace) = (name, -2, per_second) and updated_at > now() - interval '1 day'
)
order by name
on conflict (target, cause) do update
set pace = excluded.pace, updated_at = now(), tokens = least(greatest(rate.pace, 1),
  rate.tokens + rate.pace * abs(extract(epoch from now() - rate.updated_at)));
