with refused as (
  select event.*
  from records(:refused) as wanted (id bigint, answer text)
  cross join lateral (
    select id, wanted.answer from dlq_events
    where id = wanted.id and status = 'PENDING'
    for no key update skip locked
  ) as event
)
update dlq_events as event
set status = 'FAILED_PERMANENTLY', failure_kind = 'permanent', processed_at = now(), updated_at = now(),
    answer = coalesce(refused.answer, event.answer)
from refused
where event.id = refused.id and event.id = any (array(select id from refused))
returning event.id;
