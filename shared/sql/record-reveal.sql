-- Records that a person wants to see what is hidden of an event, and why, before they see it.
insert into dlq_audit (actor, act, reason, event_id)
values (:actor, 'reveal', :reason, :eventId::bigint)
returning id;
