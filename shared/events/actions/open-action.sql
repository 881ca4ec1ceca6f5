-- Records the actor and reason of an action before its first change. Returns the newest event that it covers:
-- events captured later are not changed.
insert into dlq_audit (actor, action, reason, details)
values (:actor, :action, :reason, :details)
returning id, (select coalesce(max(id), 0) from dlq_events) as last_event_id;
