-- The latest :max changes of a target: openings and closings of its breaker, holds and releases.
select * from (
  (
    select at, case state when 'OPEN' then 'down' else 'up' end as change, null as actor, null as reason
    from dlq_breaker_changes
    where target = :target
    order by id desc
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
