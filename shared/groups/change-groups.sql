-- Changes state, owner or note of error groups, and records it in the audit. A null parameter leaves its
-- column unchanged, except muted_until, which is set with the state. An empty text removes owner or note.
-- Changes of a merged group the one that it is merged into. One that stays as it is has no row; one that is
-- resolved again is resolved from now on. Locked in one order, so that two changes cannot deadlock.
with old as materialized (
  select fingerprint, state, owner, note, muted_until from dlq_error_groups
  where fingerprint in (select fingerprint from dlq_group_members where member = any (:fingerprints::text[]))
  order by fingerprint
  for update
),
wanted as (
  select
    fingerprint, coalesce(:state, state) as state,
    case when :owner::text is null then owner else nullif(:owner, '') end as owner,
    case when :note::text is null then note else nullif(:note, '') end as note,
    case when :state::text is null then muted_until else :mutedUntil end as muted_until
  from old
  except
  select * from old where :state is distinct from 'RESOLVED'
),
changed as (
  update dlq_error_groups as error_group
  set state = wanted.state, owner = wanted.owner, note = wanted.note, muted_until = wanted.muted_until,
      state_changed_at = case when :state is null then error_group.state_changed_at else now() end
  from wanted
  where error_group.fingerprint = wanted.fingerprint
),
recorded as (
  insert into dlq_audit (actor, action, reason, details)
  select :actor, 'change group', :reason, jsonb_build_object('fingerprint', fingerprint,
    'from', to_jsonb(old) - '{fingerprint, muted_until}'::text[], 'to', to_jsonb(wanted) - 'fingerprint')
  from wanted join old using (fingerprint)
)
select fingerprint, state from wanted;
