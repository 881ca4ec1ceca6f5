-- The latest :max deliveries to a target. The condition is the order of the index: else the planner would
-- sort all deliveries to it without statistics.
select event_id, run_id, outcome, started_at, duration_ms, response_status,
  left(coalesce(error, response_body), 300) as answer
from (
  select * from dlq_attempts
  where hashtextextended(target, 0) >= hashtextextended(:target, 0)
    and (hashtextextended(target, 0), id) <= (hashtextextended(:target, 0), 9223372036854775807)
  order by hashtextextended(target, 0) desc, id desc
  limit :max::int
) as latest
where target = :target
order by id desc;
