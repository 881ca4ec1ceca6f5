-- Lets groups by older rules go on: the groups that their events are in now get owner, note, state and mute.
-- Then the old group is merged into the one with most of these events, which has its history so; a group that
-- an operator had merged stays merged.
with moved as materialized (
  select outdated, given.fingerprint, count(*) as events
  from json_to_recordset(:events) as given (outdated text, fingerprint text)
  group by 1, 2
),
old as materialized (
  select error_group.*
  from dlq_error_groups as error_group
  where fingerprint in (select outdated from moved)
  order by fingerprint
  for update
),
continued as (
  insert into dlq_error_groups as known (
    fingerprint, state, owner, note, muted_until, state_changed_at, sample_event_id, first_seen_at,
    last_seen_at, merged_into
  )
  select distinct on (moved.fingerprint)
    moved.fingerprint, state, owner, note, muted_until, state_changed_at, sample_event_id, first_seen_at,
    last_seen_at, case when merged_into < :version then merged_into end
  from moved
  join old on old.fingerprint = outdated
  order by moved.fingerprint, state = 'OPEN' and owner is null and note is null, events desc
  on conflict (fingerprint) do update
  set owner = coalesce(known.owner, excluded.owner), note = coalesce(known.note, excluded.note),
      merged_into = case when known.merged_into < :version then null else known.merged_into end,
      first_seen_at = least(known.first_seen_at, excluded.first_seen_at)
  returning fingerprint
),
main as materialized (
  select distinct on (outdated) outdated, moved.fingerprint
  from moved
  join old on old.fingerprint = outdated
  where merged_into is null
  order by outdated, events desc, moved.fingerprint
)
update dlq_error_groups as error_group
set merged_into = main.fingerprint
from main
where (error_group.fingerprint = main.outdated or error_group.merged_into = main.outdated)
  and error_group.fingerprint not in (select fingerprint from continued);
