-- Changes the state of error groups without an operator: a resolved group that fails again, or a group merged
-- into it, becomes REGRESSED, and a muted group becomes OPEN at its time. The audit records both, with its
-- default actor "service".
with due as materialized (
  select fingerprint, state as old_state, case state when 'RESOLVED' then 'REGRESSED' else 'OPEN' end as state
  from dlq_error_groups as error_group
  where state in ('MUTED', 'RESOLVED') and merged_into is null
    and case state
      when 'RESOLVED' then state_changed_at < greatest(
        last_seen_at, (
          select max(last_seen_at)
          from dlq_error_groups as merged
          where merged.merged_into = error_group.fingerprint
        ))
      else muted_until <= now()
    end
  order by fingerprint
  for update skip locked
),
reopened as (
  update dlq_error_groups as error_group
  set state = due.state, state_changed_at = now(), muted_until = null
  from due
  where error_group.fingerprint = due.fingerprint
  returning error_group.fingerprint, due.old_state, due.state
),
recorded as (
  insert into dlq_audit (action, details)
  select 'reopen group', jsonb_build_object('fingerprint', fingerprint, 'from', old_state, 'to', state)
  from reopened
)
select fingerprint from reopened;
