-- Moves up to :limit events that have the value of a rule by which an operator split their group into the
-- group of that rule. Skips locked events: the next call moves them. Reads the events of each split group by
-- their index: without a split the plan for any :limit would read all events.
with chosen as materialized (
  select event.id, part.fingerprint as part
  from dlq_error_groups as part
  join dlq_groups_merged as origin on part.split_from = any (members)
  cross join unnest(array_remove(members, part.fingerprint)) as member
  cross join lateral (
    select id from dlq_events
    where fingerprint = member and dlq_has_value(split_field, split_value, event_type,
      coalesce(source_subscription, consumer_group), error_class, error_reason, error_stacktrace)
    order by id limit :limit::int for update skip locked
  ) as event
  where part.split_field is not null and part.merged_into is null
  limit :limit::int
)
update dlq_events as event set fingerprint = part from chosen where event.id = chosen.id
returning event.id;
