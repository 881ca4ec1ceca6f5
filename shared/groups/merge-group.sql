-- Merges an error group, with those merged into it, into the group :into, or without one splits a merged
-- group off again, and records each in the audit: events, counts, state, owner and note stay. Changes nothing
-- if the other is unknown or merged itself, or if there is nothing to split. Locked in one order: two merges
-- cannot deadlock, and the second one sees the first.
with locked as materialized (
  select fingerprint, merged_into
  from dlq_error_groups
  where fingerprint in (:fingerprint, :into) or merged_into = :fingerprint
  order by fingerprint
  for update
),
changed as (
  update dlq_error_groups as error_group
  set merged_into = :into
  from locked
  where error_group.fingerprint = locked.fingerprint and case
    when :into::text is null then locked.fingerprint = :fingerprint and locked.merged_into is not null
    else locked.fingerprint <> :into and (locked.merged_into is null or locked.merged_into = :fingerprint)
      and exists (
        select from locked as other where other.fingerprint = :into and other.merged_into is null)
  end
  returning error_group.fingerprint, coalesce(:into, locked.merged_into) as other
),
-- Events of the one may have the value of a rule of the other.
compared_again as (
  update dlq_error_groups set split_before = default
  where split_from in (select member from dlq_group_members where fingerprint in (:fingerprint, :into))
    and fingerprint not in (select fingerprint from locked)
),
audited as (
  insert into dlq_audit (actor, action, reason, details)
  select
    :actor::text, case when :into::text is null then 'split group' else 'merge group' end, :reason::text,
    jsonb_build_object('fingerprint', other, 'merged', fingerprint)
  from changed
)
select other from changed;
