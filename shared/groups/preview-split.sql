-- The latest 10,000 events of the groups :members in two parts: with the value of a rule, and without; of
-- each their number, and the class and reason of the latest 20.
with latest as materialized (
  select event.id, error_class, left(error_reason, 4096) as error_reason, dlq_has_value(:field, :value,
    event_type, coalesce(source_subscription, consumer_group), error_class, error_reason, error_stacktrace
  ) as has_value
  from unnest(:members::text[]) as member
  cross join lateral (
    select * from dlq_events where fingerprint = member order by fingerprint desc, id desc limit 10000
  ) as event
  order by event.id desc
  limit 10000
)
select
  has_value, count(*)::int as events, to_json((array_agg(
    json_build_object('errorClass', error_class, 'errorReason', error_reason) order by id desc
  ))[1:20]) as failures
from latest
group by has_value;
