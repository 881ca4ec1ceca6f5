-- Lists the breaker of every target that has failed or was held at least once. A hold whose time is over is
-- none.
select
  target, state, answer, consecutive_failures, deliveries, failures, opened_at, probe_after, pace,
  paused_until, case when is_held then held_at end as held_at, case when is_held then held_by end as held_by,
  case when is_held then held_reason end as held_reason, case when is_held then held_until end as held_until
from dlq_breakers
cross join lateral (select coalesce(held_until > now(), true) as is_held) as hold
where cause = 0 and target <> '*'
order by target;
