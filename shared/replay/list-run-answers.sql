-- Groups the last :max failed and the last :max delivered events of a run by the answer of their target, the
-- failed ones first. `error` is that of one event of the group, which is its `example`.
with settled as materialized (
  select * from (
    select event_id, outcome, reason from dlq_run_events
    where run_id = :runId::bigint and outcome = 'failed' order by position desc limit :max::int
  ) as failed
  union all
  select * from (
    select event_id, outcome, reason from dlq_run_events
    where run_id = :runId::bigint and outcome = 'delivered' order by position desc limit :max::int
  ) as delivered
)
select
  settled.outcome, settled.reason, attempt.response_status, count(*)::int as events,
  max(settled.event_id)::text as example, left(min(attempt.error), 200) as error
from settled
left join lateral (
  select response_status, error
  from dlq_attempts
  where event_id = settled.event_id and run_id = :runId::bigint
  order by dlq_attempts.id desc
  limit 1
) as attempt on true
group by settled.outcome, settled.reason, attempt.response_status
order by settled.outcome desc, events desc, settled.reason, attempt.response_status;
