-- Openings and closings of the breaker, holds and releases.
select * from (
  (
    select at, case when (place % 2 = 1) = (state = 'CLOSED') then 'up' else 'down' end as change,
      null as actor, null as reason
    from dlq_breakers
    cross join unnest(changes) with ordinality as turn (at, place)
    where (target, cause) = (:target, 0)
    order by place
    limit :max::int
  )
  union all
  (
    select at, case action when 'hold target' then 'held' else 'released' end, actor, reason
    from dlq_audit
    where details ? 'target' and details ->> 'target' = :target
      and action in ('hold target', 'release target')
    order by id desc
    limit :max::int
  )
) as changes
order by at desc
limit :max::int;
