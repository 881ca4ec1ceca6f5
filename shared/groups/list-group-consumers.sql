-- The 10 consumers of most of the latest 500 events of the groups :members.
select name, count(*)::int as events
from (
  select coalesce(source_subscription, consumer_group) as name
  from unnest(:members::text[]) as member
  cross join lateral (
    select id, source_subscription, consumer_group
    from dlq_events as event
    where event.fingerprint = member
    order by fingerprint desc, id desc
    limit 500
  ) as event
  order by id desc
  limit 500
) as latest_events
where name is not null
group by name
order by events desc, name
limit 10;
