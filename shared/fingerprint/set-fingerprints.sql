-- Sets fingerprints by the rules of grouping, unless the reason of an event has changed since it was read.
-- Locks rows in order of id, so that two calls cannot deadlock, and skips locked rows: the next call sets
-- them.
with given as (
  select *
  from records(:fingerprints) as given (
    id bigint, error_reason text, fingerprint text, crowd text
  )
),
free as materialized (
  select id from dlq_events where id = any (array(select id from given)) order by id for update skip locked
)
update dlq_events as event
set fingerprint = dlq_group_of(given.fingerprint, given.crowd, event_type,
  coalesce(source_subscription, consumer_group), error_class, event.error_reason, error_stacktrace)
from given
where event.id = any (array(select id from free)) and event.id = given.id
  -- Not "is null": the planner would read the index of fingerprints.
  and coalesce(event.fingerprint, '') = ''
  and event.error_reason = given.error_reason
returning event.id;
