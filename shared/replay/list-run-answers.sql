-- Counts the last :max failed, skipped and delivered events of a run by reason and by the answer of their
-- target, the delivered ones last. `error` is that of one event of the group, which is its `example`.
with settled as materialized (
  select latest.*
  from unnest(array['failed', 'skipped', 'delivered']) as of_outcome (name)
  cross join lateral (
    select event_id, outcome, reason, detail from dlq_run_events
    where run_id = :runId::bigint and outcome = name order by position desc limit (select :max::int)
  ) as latest
)
select
  settled.outcome, settled.reason, attempt.response_status, count(*)::int as events,
  max(settled.event_id)::text as example,
  left((array_agg(coalesce(attempt.error, detail) order by settled.event_id desc))[1], 200) as error
from settled
left join lateral (
  select response_status, error
  from dlq_attempts
  where event_id = settled.event_id and run_id = :runId::bigint and settled.outcome <> 'skipped'
  order by dlq_attempts.id desc limit 1
) as attempt on true
group by settled.outcome, settled.reason, attempt.response_status
order by settled.outcome = 'delivered', settled.outcome, events desc, settled.reason, attempt.response_status;
