-- Moves up to :limit events that have the value of a rule by which an operator split their group into the
-- group of that rule. Skips locked events: the next call moves them.
with chosen as materialized (
  select event.id, part.fingerprint as part
  from dlq_error_groups as part
  join dlq_groups_merged as origin on part.split_from = any (members)
  join dlq_events as event on event.fingerprint = any (array_remove(members, part.fingerprint))
  where part.split_field is not null and part.merged_into is null
    and dlq_has_value(split_field, split_value, event_type, coalesce(source_subscription, consumer_group),
      error_class, error_reason, error_stacktrace)
  order by event.id
  limit :limit::int
  for update of event skip locked
)
update dlq_events as event
set fingerprint = part
from chosen
where event.id = chosen.id
returning event.id;
