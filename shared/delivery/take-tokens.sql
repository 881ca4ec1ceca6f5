-- A token bucket holds one second's worth, at least one delivery. A negative :wanted returns unused ones. A
-- bucket that was filled in the future gets nothing for that time: the clock has stepped back.
with timeout as materialized (select set_config('lock_timeout', '100ms', true))
insert into dlq_breakers as rate (target, cause, tokens, tokens_granted)
select :route, -2, burst - least(:wanted::int, floor(burst)), least(:wanted::int, floor(burst))
from timeout
cross join (select greatest(:ratePerSecond::double precision, 1) as burst) as full_bucket
on conflict (target, cause) do update
set (tokens, tokens_granted, updated_at) = (
  select level - least(:wanted::int, floor(level)), least(:wanted::int, floor(level)), clock_timestamp()
  from (
    select greatest(0, least(
      greatest(:ratePerSecond::double precision, 1),
      rate.tokens
        + greatest(0, extract(epoch from clock_timestamp() - rate.updated_at)) * :ratePerSecond::float8
    )) as level
  ) as refilled
)
returning tokens_granted as granted;
