-- A target that said "too many" gets nothing for :pause seconds, then three quarters of the pace at which it
-- refused, which grows (breaker-terms.ts). A pace that was never reached does not count: the limit is `peak`,
-- the most accepted within one second, among its 2,000 latest attempts and within a minute; an earlier peak
-- fades. Of two pauses at once the later end counts, and the pace is that of the first.
with timeout as materialized (select set_config('lock_timeout', '500ms', true)),
accepted as (
  select max(events)::float8 as peak
  from (
    select started_at > max(started_at) over () - interval '1 minute' as is_late,
      count(*) filter (where outcome = 'delivered')
        over (order by started_at range between current row and interval '1 second' following) as events
    from (
      select started_at, outcome from dlq_attempts
      where hashtextextended(target, 0) = hashtextextended(:target, 0) and target = :target
      order by id desc limit 2000
    ) as latest
  ) as seconds
  where is_late
),
seen as (
  select greatest(1, 0.9 * breaker.peak, accepted.peak) as peak, {paceNow} as allowed
  from timeout cross join accepted
  left join dlq_breakers as breaker
    on (target, cause) = (:target, 0) and breaker.paused_until > now() - interval '1 hour'
)
insert into dlq_breakers as breaker (target, paused_until, pace, peak)
select :target, now() + make_interval(secs => :pause), 0.75 * least(peak, allowed), peak from seen
on conflict (target, cause) do update
set paused_until = greatest(excluded.paused_until, {pausedUntil}),
    pace = case when {pausedUntil} > now() then breaker.pace else excluded.pace end,
    peak = excluded.peak, updated_at = now();
