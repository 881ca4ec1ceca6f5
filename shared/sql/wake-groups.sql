-- What groups do by themselves: a resolved one that is seen again has returned, and a muted one opens when its moment,
-- its number of failures or its rate is reached. Both are recorded like acts of a person, by the office.
with due as materialized (
  select fingerprint, state as old_state, case state when 'RESOLVED' then 'RETURNED' else 'OPEN' end as state
  from dlq_error_groups as error_group
  where state in ('MUTED', 'RESOLVED')
    and case state
      when 'RESOLVED' then last_seen_at > state_changed_at
      else coalesce(muted_until <= now(), false) or coalesce(failures >= muted_until_failure, false)
        or coalesce(muted_until_hourly < (
          select sum(captures + returns)
          from dlq_counts
          where dlq_counts.fingerprint = error_group.fingerprint and hour >= date_trunc('hour', now(), 'UTC')
        ), false)
    end
  order by fingerprint
  for update skip locked
),
woken as (
  update dlq_error_groups as error_group
  set state = due.state, state_changed_at = now(), muted_until = null, muted_until_failure = null,
      muted_until_hourly = null
  from due
  where error_group.fingerprint = due.fingerprint
  returning error_group.fingerprint, due.old_state, due.state
),
recorded as (
  insert into dlq_audit (actor, act, details)
  select 'office', 'wake group', jsonb_build_object('fingerprint', fingerprint, 'from', old_state, 'to', state)
  from woken
)
select fingerprint from woken;
