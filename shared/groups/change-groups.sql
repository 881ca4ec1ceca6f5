-- Changes state, owner or note of error groups, and records actor and reason in the audit. A null parameter
-- leaves its column unchanged, except muted_until, which is set with the state. An empty text removes owner
-- or note. Of a merged group it changes the one that it is merged into. Groups are locked in one order, so
-- that two changes cannot deadlock.
with old as materialized (
  select fingerprint, state, owner, note from dlq_error_groups
  where fingerprint in (select fingerprint from dlq_group_members where member = any (:fingerprints::text[]))
  order by fingerprint
  for update
),
changed as (
  update dlq_error_groups as error_group
  set state = coalesce(:state, old.state),
      state_changed_at = case when :state is null then error_group.state_changed_at else now() end,
      muted_until = case when :state::text is null then error_group.muted_until else :mutedUntil end,
      owner = case when :owner::text is null then old.owner else nullif(:owner, '') end,
      note = case when :note::text is null then old.note else nullif(:note, '') end
  from old
  where error_group.fingerprint = old.fingerprint
  returning
    error_group.fingerprint, error_group.state, error_group.owner, error_group.note, error_group.muted_until
),
recorded as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor, 'change group', :reason,
    jsonb_build_object(
      'fingerprint', old.fingerprint,
      'from', jsonb_build_object('state', old.state, 'owner', old.owner, 'note', old.note),
      'to', to_jsonb(changed) - 'fingerprint'
    )
  from changed
  join old using (fingerprint)
)
select fingerprint, state from changed;
