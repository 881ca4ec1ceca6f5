-- Compares the next events of a group, up to :limit, the latest first, with the rule of a part that an
-- operator split off, and moves those that have its value. Fails if another session keeps one locked for half
-- a second. Returns how many it compared; no row if all are.
with part as materialized (
  select set_config('lock_timeout', '500ms', true), part.*, array_remove(members, part.fingerprint) as others
  from dlq_error_groups as part
  join dlq_groups_merged as origin on part.split_from = any (members)
  where split_field is not null and split_before is not null and part.merged_into is null
  order by split_before desc limit 1
  for update of part skip locked
),
compared as materialized (
  select event.id, dlq_has_value(split_field, split_value, event_type,
    coalesce(source_subscription, consumer_group), error_class, error_reason, error_stacktrace) as has_value
  from part
  cross join lateral (
    select event.*
    from unnest(others) as member
    cross join lateral (
      select * from dlq_events where fingerprint = member and id < split_before
      order by fingerprint desc, id desc limit :limit::int
    ) as event
    order by event.id desc
    limit :limit::int
  ) as event
),
moved as (
  update dlq_events as event set fingerprint = part.fingerprint
  from part
  where id = any (array(select id from compared where has_value order by id))
)
update dlq_error_groups
set split_before = case when compared = :limit::int then next end
from (select count(*)::int as compared, min(id) as next from compared) as progress
where fingerprint = (select fingerprint from part)
returning compared as done;
