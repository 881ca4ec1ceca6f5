-- Says who is about to do what to many events, and why, before the first is changed. Also tells up to where the act goes:
-- what is captured meanwhile is left to the next one.
insert into dlq_audit (actor, act, reason, details)
values (:actor, :act, :reason, :details)
returning id, (select coalesce(max(id), 0) from dlq_events) as last_event_id;
