-- A page of the events that a filter matches, the latest captured first: those before :before. By id, which never
-- changes, so that no page shows an event twice and none passes one over, however much is captured meanwhile.
select
  id, event_type, status, error_class, left(error_reason, 300) as error_reason, consumer_group, retry_count,
  failure_count, created_at, last_failure_at
from dlq_events as event
where (:filter) and id < :before::bigint
order by id desc
limit :limit::int;
