-- Lists a page of a run's events after the event :after: all in order of capture, those of one outcome in the
-- order of the run.
--
-- The page is found first, by an index and its limit, and then each event by its key: without statistics
-- about a new run, the planner would join all of it with all events.
with page as materialized (
  select * from (
    select * from dlq_run_events
    where :outcome::text is null and run_id = :runId::bigint and event_id > :after::bigint
    order by event_id
    limit :limit::int
  ) as all_outcomes
  union all
  select * from (
    select * from dlq_run_events
    where :outcome is not null and run_id = :runId and outcome = :outcome
      and position > coalesce((
        select position from dlq_run_events where run_id = :runId and event_id = :after
      ), 0)
    order by position
    limit :limit
  ) as of_outcome
)
select
  page.event_id as id, event.event_type, event.status, page.outcome, page.reason, page.detail,
  page.settled_at, page.is_leased as in_flight, attempt.error
from page
left join lateral (select * from dlq_events where id = page.event_id offset 0) as event on true
left join lateral (
  select error from dlq_attempts
  where event_id = page.event_id and run_id = :runId and page.outcome = 'failed'
  order by dlq_attempts.id desc
  limit 1
) as attempt on true
order by case when :outcome is not null then page.position end, page.event_id;
