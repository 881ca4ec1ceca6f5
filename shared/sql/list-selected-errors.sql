-- What a run would select, by error group: the :most largest ones, each with an example, and how many there are in all.
select
  fingerprint as value, count(*)::int as events, any_value(error_class) as error_class,
  any_value(left(error_reason, 200)) as error_reason, (count(*) over ())::int as groups
from dlq_events as event
where (:filter)
  and event.lane = any (:lanes::bigint[])
  and dlq_obstacle(event.status, event.lease_expires_at, :includeSucceeded, :includeDiscarded) is null
group by fingerprint
order by events desc, fingerprint
limit :most::int;
