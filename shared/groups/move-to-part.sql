-- Moves up to :limit events of the groups :members with the value of a rule into the group of that rule.
-- Skips locked events: the next run of maintain moves them.
with chosen as materialized (
  select id
  from dlq_events
  where fingerprint = any (:members::text[]) and {hasValue}
  order by id
  limit :limit::int
  for update skip locked
)
update dlq_events as event
set fingerprint = :fingerprint
from chosen
where event.id = chosen.id
returning event.id;
