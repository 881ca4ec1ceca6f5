-- Takes deliveries to targets from their breakers, up to `wanted` of each; a negative number returns unused
-- ones. A target that an operator holds gives none, nor does one whose breaker is open; after its cooldown it
-- gives one, as a probe. One whose breaker has closed gives what is left of the present second of its ramp:
-- the next one begins with the first call after it. Who does not obey breakers or holds takes what it wants,
-- but not more than a ramp gives. One that another session has locked gives none. A time that lies clearly
-- further ahead than it could be set now has passed: the clock has stepped back.
--
-- Returns the targets that limit: `is_up` for those that give more soon.
with wanted as materialized (
  select * from json_to_recordset(:wanted) as wanted (target text, wanted integer)
),
known as materialized (
  select target, held_at is not null and coalesce(held_until > now(), true) and :obeysHolds as is_held,
    state <> 'CLOSED' and :obeysBreakers as is_open
  from dlq_breakers
  where target in (select target from wanted)
    and (held_at is not null or state <> 'CLOSED' or ramp is not null)
),
locked as materialized (
  select
    breaker.target, wanted, state,
    probe_after not between now() + interval '1 microsecond'
      and now() + 2 * make_interval(secs => greatest(cooldown_seconds, :leaseSeconds)) as is_cool,
    case when is_present then ramp else ramp[2:] end as ramp,
    case when is_present then ramp_step_at else now() end as ramp_step_at
  from dlq_breakers as breaker
  join wanted on wanted.target = breaker.target
  cross join lateral (
    select ramp_step_at between now() - interval '1 second' and now() + interval '5 seconds' as is_present
  ) as second
  where breaker.target in (select target from known where not is_held)
  for no key update of breaker skip locked
),
granted as materialized (
  select *, case
      when state <> 'CLOSED' and :obeysBreakers then least(wanted, is_cool::int)
      when ramp <> '{}' then least(wanted, ramp[1])
      else wanted
    end as granted
  from locked
),
taken as (
  update dlq_breakers as breaker
  set state = case
        when granted.state = 'CLOSED' then 'CLOSED' when granted > 0 then 'HALF_OPEN' else 'OPEN' end,
      probe_after = case when granted.state <> 'CLOSED' then
        now() + make_interval(secs => case when granted > 0 then :leaseSeconds else 0 end) end,
      ramp = case when granted.state = 'CLOSED' and granted.ramp <> '{}' then
        array_prepend(granted.ramp[1] - granted, granted.ramp[2:]) end,
      ramp_step_at = case when granted.state = 'CLOSED' and granted.ramp <> '{}' then
        granted.ramp_step_at end,
      updated_at = now()
  from granted
  where breaker.target = granted.target and granted <> 0 and (granted.state = 'CLOSED' or :obeysBreakers)
)
select target, coalesce(granted.granted, 0) as granted, not is_held and not is_open as is_up
from known
left join granted using (target);
