-- Moves up to :limit events of the groups :members with the value of a rule into the group of that rule.
-- Skips locked events: the next run of maintain moves them.
with chosen as materialized (
  select id
  from dlq_events
  where fingerprint = any (:members::text[])
    and dlq_has_value(:field, :value, event_type, coalesce(source_subscription, consumer_group), error_class,
      error_reason, error_stacktrace)
  order by id
  limit :limit::int
  for update skip locked
)
update dlq_events as event
set fingerprint = :fingerprint
from chosen
where event.id = chosen.id
returning event.id;
