-- Adds the group :fingerprint for all events of :origin, and those merged into it, with a value, and records
-- it in the audit. A group that was split off so before and merged back is split off again. Locks the other
-- group: a merge of it waits.
with origin as materialized (
  select fingerprint, first_seen_at, last_seen_at
  from dlq_error_groups
  where fingerprint = :origin and merged_into is null
  for update
),
part as (
  insert into dlq_error_groups as known (
    fingerprint, first_seen_at, last_seen_at, split_from, split_field, split_value, split_why
  )
  select :fingerprint, first_seen_at, last_seen_at, fingerprint, :field, :value, :reason from origin
  on conflict (fingerprint) do update
  set merged_into = null, split_from = excluded.split_from, split_field = excluded.split_field,
      split_value = excluded.split_value, split_why = excluded.split_why, split_before = default
  returning known.fingerprint
),
audited as (
  insert into dlq_audit (actor, action, reason, details)
  select :actor::text, 'split group', :reason::text, jsonb_build_object(
    'fingerprint', :origin::text, 'merged', fingerprint, 'field', :field::text, 'value', :value::text)
  from part
)
select fingerprint from part;
