-- One index lookup per delivery, as in measure-targets.sql.
with recursive latest as (
  select 9223372036854775807 as id, null::bigint as event_id, 0 as steps
  union all
  select earlier.id, earlier.event_id, steps + 1
  from latest
  cross join lateral (
    select id, event_id, target
    from dlq_attempts
    where (hashtextextended(target, 0), dlq_attempts.id) < (hashtextextended(:target, 0), latest.id)
    order by hashtextextended(target, 0) desc, id desc
    limit 1
  ) as earlier
  where steps < :max::int and earlier.target = :target
)
select
  attempt.event_id, run_id, outcome, started_at, duration_ms, response_status,
  left(coalesce(error, response_body), 300) as answer
from latest
join dlq_attempts as attempt using (event_id, id)
where steps > 0
order by id desc;
