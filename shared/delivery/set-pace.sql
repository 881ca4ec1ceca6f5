-- Gives targets that said "too many" a pace: they get nothing for `pause` seconds, and then so many a second
-- as they took before. `pace` is that of this worker since the pause before; without it the last one is
-- halved. Of two pauses at once the later end counts. Fails if a breaker stays locked for half a second.
with timeout as materialized (select set_config('lock_timeout', '500ms', true))
insert into dlq_breakers as breaker (target, paused_until, pace)
select said.target, now() + make_interval(secs => pause), coalesce(said.pace, known.pace / 2, 1)
from timeout
cross join json_to_recordset(:limits) as said (target text, pause float8, pace float8)
left join dlq_breakers as known on known.target = said.target and known.cause = 0
order by said.target
on conflict (target, cause) do update
set paused_until = greatest(excluded.paused_until, breaker.paused_until),
    pace = case when breaker.paused_until > now() then breaker.pace else excluded.pace end,
    updated_at = now();
