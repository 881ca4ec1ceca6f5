-- The number of events that an action would change, and of those that it keeps: they are being delivered.
select
  count(*) filter (where not is_leased)::int as remaining, case when bool_or(is_leased)
    then jsonb_build_object('leased', count(*) filter (where is_leased)) else '{}' end as kept
from dlq_events as event
cross join lateral (
  select event.status = 'PROCESSING' and coalesce(event.lease_expires_at > now(), false) as is_leased
) as lease
where ({filter}) and event.id <= :upTo and {isOther};
