-- Answers to what people ask first. They go by the counts, or by an index, wherever they can: as quick with a long
-- history as without one. Whoever reads them needs the right to what is behind them.

create view dlq_failures_by_reason with (security_invoker) as
select
  event_type, error_group.title as reason, sum(captures + returns) as failures, max(hour) as last_hour,
  error_group.state, error_group.owner, fingerprint
from dlq_hours
left join dlq_error_groups as error_group using (fingerprint)
where hour > now() - interval '25 hours'
group by event_type, fingerprint, error_group.title, error_group.state, error_group.owner
having sum(captures + returns) > 0
order by failures desc, event_type, fingerprint;

comment on view dlq_failures_by_reason is 'What failed in the last 24 hours, and why.';

create view dlq_failures_by_hour with (security_invoker) as
select
  hour, sum(captures) as captures, sum(returns) as returns, sum(deliveries) as deliveries,
  sum(permanent_failures) as permanent_failures, sum(discards) as discards,
  round(sum(permanent_failures) / nullif(sum(deliveries + permanent_failures), 0), 3) as permanent_failure_ratio
from dlq_hours
where hour > now() - interval '7 days'
group by hour
order by hour desc;

comment on view dlq_failures_by_hour is 'What came in and what became of it in each hour of the last seven days, in UTC.';

create view dlq_open_by_consumer with (security_invoker) as
select
  coalesce(source_subscription, consumer_group, source_topic, source_kind) as consumer, event_type, count(*) as events,
  min(created_at) as oldest, max(retry_count) as most_retries, min(retry_after) as next_retry
from dlq_events
where is_open
group by 1, 2
order by events desc, consumer, event_type;

comment on view dlq_open_by_consumer is 'Open events by who could not process them. Reads all open events.';

create view dlq_awaiting_people with (security_invoker) as
select
  id, event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason, failure_kind,
  retry_count, failure_count, created_at, processed_at as failed_at, fingerprint
from dlq_events
-- What holds others back and is not open any more is what failed permanently: so the index has it.
where holds_back and not is_open
order by processed_at desc;

comment on view dlq_awaiting_people is 'Permanent failures, the latest first: nobody tries them again until a person does.';

create view dlq_blocked_keys with (security_invoker) as
select
  head.event_type, head.source_key, head.id as blocked_by, head.status, head.error_reason, head.retry_after,
  count(*) as waiting, min(later.created_at) as oldest_waiting
from dlq_events as head
join dlq_events as later
  on later.lane = head.lane and later.source_key = head.source_key and later.id > head.id and later.is_open
where head.holds_back and head.source_key is not null
  and not exists (
    select
    from dlq_events as earlier
    where earlier.holds_back and earlier.lane = head.lane and earlier.source_key = head.source_key
      and earlier.id < head.id
  )
group by head.id
order by waiting desc;

comment on view dlq_blocked_keys is 'Keys with events that wait behind another one, where their route is ordered. Reads all open events that have a key.';

create view dlq_stubborn_events with (security_invoker) as
select id, event_type, retry_count, retry_after, failure_kind, error_reason, created_at
from dlq_events
where is_open and retry_count > 5
order by retry_count desc, id;

comment on view dlq_stubborn_events is 'Open events that failed more than five retries. Reads all open events.';

grant select on dlq_failures_by_reason, dlq_failures_by_hour, dlq_open_by_consumer, dlq_awaiting_people, dlq_blocked_keys,
  dlq_stubborn_events to dlq_readonly;
