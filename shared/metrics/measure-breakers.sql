-- The breakers of up to 100 targets that ever failed, closed ones last, and how many are open.
select
  target, case max(state) when 'CLOSED' then 0 when 'HALF_OPEN' then 1 else 2 end::float8 as breaker_state,
  count(*) filter (where state = 'OPEN')::float8 as breakers_open,
  count(*) filter (where state = 'HALF_OPEN')::float8 as breakers_half_open
from dlq_breakers
where cause = 0
group by grouping sets ((target), ())
order by grouping(target) desc, max(state) = 'CLOSED', target
limit 101;
