-- Views: answers to the common questions of operators. They read counts or an index where they can, so that a
-- long history does not slow them down; the others say what they read. Their reader needs the rights to the
-- tables behind them.

create view dlq_depths with (security_invoker) as
select
  event_type, fingerprint, sum(pending)::bigint as pending, sum(processing)::bigint as processing,
  sum(succeeded)::bigint as succeeded,
  sum(failed_permanently)::bigint as failed_permanently, sum(discarded)::bigint as discarded
from dlq_counts_exact
where hour is null
group by event_type, fingerprint
having
  (sum(pending), sum(processing), sum(succeeded), sum(failed_permanently), sum(discarded)) <> (0, 0, 0, 0, 0);

comment on view dlq_depths is 'Events now, by type and error group, in each status. Exact.';

create view dlq_counts_by_hour with (security_invoker) as
select
  hour, event_type, fingerprint, sum(captures)::bigint as captures, sum(recurrences)::bigint as recurrences,
  sum(retry_failures)::bigint as retry_failures, sum(deliveries)::bigint as deliveries,
  sum(permanent_failures)::bigint as permanent_failures,
  sum(discards)::bigint as discards
from dlq_counts_exact
where hour is not null
group by hour, event_type, fingerprint;

comment on view dlq_counts_by_hour is
  'What happened, by hour (UTC), type and error group; after 8 days by day. Exact.';

create view dlq_failures_by_reason with (security_invoker) as
select
  event_type, coalesce(title, nullif(first_line, ''), 'No reason given: ' || event_type) as reason,
  failures, last_hour, state, owner, fingerprint
from (
  select
    event_type, coalesce(error_group.merged_into, counted.fingerprint) as fingerprint,
    sum(failures) as failures, max(hour) as last_hour, null as error_class, null as error_reason
  from dlq_counts_exact as counted
  left join dlq_error_groups as error_group using (fingerprint)
  where hour > now() - interval '24 hours' and fingerprint <> ''
  group by 1, 2
  having sum(failures) > 0
  union all
  -- Reported in SQL, and not in a group yet.
  select event_type, '', count(*), date_trunc('hour', max(failed_at), 'UTC'), error_class, error_reason
  from dlq_events
  cross join coalesce(case when failure_count > 1 then last_failure_at else created_at end) as failed_at
  where fingerprint is null and failed_at >= date_trunc('hour', now() - interval '23 hours', 'UTC')
    and edited_from is null
  group by event_type, error_class, error_reason
) as counts
left join dlq_error_groups as error_group using (fingerprint)
-- A group has its title a few minutes later.
left join lateral (
  select event.error_class, event.error_reason
  from dlq_events as event
  where title is null and event.fingerprint between counts.fingerprint and counts.fingerprint
  order by event.fingerprint desc, id desc
  limit 1
) as latest on true
cross join concat_ws(': ', coalesce(counts.error_class, latest.error_class), split_part(
  nullif(coalesce(counts.error_reason, latest.error_reason), 'not reported'), E'\n', 1)) as first_line
order by failures desc, event_type, fingerprint;

comment on view dlq_failures_by_reason is
  'Failures of this hour (UTC) and the 23 before, by type and error group.';

create view dlq_failures_by_hour with (security_invoker) as
select
  hour, sum(captures) as captures, sum(recurrences) as recurrences, sum(deliveries) as deliveries,
  sum(permanent_failures) as permanent_failures, sum(discards) as discards,
  round(sum(permanent_failures)::numeric / nullif(sum(deliveries + permanent_failures), 0), 3)
    as permanent_failure_ratio
from dlq_counts_totals
where hour > now() - interval '7 days'
group by hour
order by hour desc;

comment on view dlq_failures_by_hour is 'Captures and outcomes of the last seven days, by hour (UTC). Exact.';

create view dlq_open_by_consumer with (security_invoker) as
select
  coalesce(source_subscription, consumer_group, source_topic, source_kind) as consumer, event_type,
  count(*) as events,
  min(created_at) as oldest, max(retry_count) as most_retries, min(retry_after) as next_retry
from dlq_events
where is_open
group by 1, 2
order by events desc, consumer, event_type;

comment on view dlq_open_by_consumer is
  'Open events, by the consumer that failed and type. Reads all open events.';

create view dlq_needs_review with (security_invoker) as
select
  id, event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason,
  answer, failure_kind,
  retry_count, failure_count, created_at, processed_at as failed_at, fingerprint
from dlq_events
-- Equivalent to status = 'FAILED_PERMANENTLY', and the predicate of an index.
where is_blocking and not is_open
order by processed_at desc;

comment on view dlq_needs_review is
  'Permanent failures, latest first: they wait for an operator to replay or discard them.';

create view dlq_blocked_keys with (security_invoker) as
select
  head.event_type, head.source_key, head.id as blocked_by, head.status, head.error_reason, head.retry_after,
  count(*) as waiting, min(event.created_at) as oldest_waiting
from (
  select id, is_open, created_at, case when consumer = '' then min(place) over of_key
    else least(min(place) over own, min(place) filter (where consumer = '') over of_key) end as first
  from (
    select *, first_value(array[coalesce(edited_from, id), id]) over (
      partition by order_key, consumer, coalesce(source_partition, -1)
      order by coalesce(case when source_partition is not null then source_offset end, edited_from, id), id
    ) as place
    from dlq_events cross join coalesce(consumer_group, source_subscription, '') as consumer
    -- Most keys have a single event, which the index alone tells: nothing waits for it.
    where is_blocking and order_key in (select order_key from dlq_events
      where is_blocking and order_key is not null group by order_key having count(*) > 1)
  ) as placed
  window of_key as (partition by order_key), own as (partition by order_key, consumer)
) as event
join dlq_events as head on head.id = first[2]
where event.is_open and head.id <> event.id
group by head.id
order by waiting desc;

comment on view dlq_blocked_keys is
  'Keys whose events wait behind an earlier one, if their route is ordered. Reads all open events that have '
  'a key.';

create view dlq_most_retried with (security_invoker) as
select id, event_type, retry_count, retry_after, failure_kind, error_reason, answer, created_at
from dlq_events
where is_open and retry_count > 5
order by retry_count desc, id;

comment on view dlq_most_retried is 'Open events with more than five failed retries. Reads all open events.';
