-- Lists a page of a run's events after the event :after: all in order of capture, those of one outcome in the
-- order of the run, or of the last :maxJudged delivered ones those with a :verdict. `verdict` of a delivered
-- event: it recurred (its consumer failed again), it has recovered if it did not fail again for 24 hours
-- (like in judge-run.sql), or they are not over yet.
--
-- The page is found first, by an index and its limit, and then each event by its key: without statistics
-- about a new run, the planner would join all of it with all events.
with start as materialized (
  select coalesce(max(position), 0) as position
  from dlq_run_events
  where run_id = :runId::bigint and event_id = :after::bigint
),
page as materialized (
  select * from (
    select * from dlq_run_events
    where :outcome::text is null and :verdict::text is null
      and run_id = :runId and event_id > :after
    order by event_id
    limit :limit::int
  ) as all_outcomes
  union all
  select * from (
    select * from dlq_run_events
    where :outcome is not null and :verdict is null and run_id = :runId and outcome = :outcome
      and position > (select position from start)
    order by position
    limit :limit
  ) as of_outcome
  union all
  select * from (
    select * from dlq_run_events
    where :verdict is not null and run_id = :runId and outcome = 'delivered'
    order by position desc
    limit :maxJudged::int
  ) as delivered
  where coalesce(:outcome, 'delivered') = 'delivered'
    and position > (select position from start)
)
select
  page.event_id as id, page.position, event.event_type, event.status, page.outcome, page.reason,
  page.detail, page.settled_at, page.is_leased as in_flight, verdict, attempt.error
from page
left join lateral (select * from dlq_events where id = page.event_id offset 0) as event on true
cross join lateral (select case
  when page.outcome <> 'delivered' then null
  when event.failure_count > page.failure_count then 'recurred'
  when page.settled_at <= now() - interval '24 hours' then 'recovered'
  else 'delivered'
end as verdict) as judged
left join lateral (
  select error from dlq_attempts
  where event_id = page.event_id and run_id = :runId and page.outcome = 'failed'
  order by dlq_attempts.id desc
  limit 1
) as attempt on true
where :verdict is null or verdict = :verdict
order by case when num_nonnulls(:outcome, :verdict) > 0 then page.position end, page.event_id
limit :limit;
