-- Merges an error group, with those merged into it, into another one, and records each in the audit. Changes
-- nothing if the other is unknown or merged itself. Locked in one order: two merges cannot deadlock, and the
-- second one sees the first.
with locked as materialized (
  select fingerprint, merged_into
  from dlq_error_groups
  where fingerprint in (:fingerprint, :into) or merged_into = :fingerprint
  order by fingerprint
  for update
),
merged as (
  update dlq_error_groups as error_group
  set merged_into = :into
  from locked
  where error_group.fingerprint = locked.fingerprint and locked.fingerprint <> :into
    and (locked.merged_into is null or locked.merged_into = :fingerprint)
    and exists (select from locked as other where other.fingerprint = :into and other.merged_into is null)
  returning error_group.fingerprint
),
audited as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor::text, 'merge group', :reason::text,
    jsonb_build_object('fingerprint', :into::text, 'merged', fingerprint)
  from merged
)
select fingerprint from merged;
