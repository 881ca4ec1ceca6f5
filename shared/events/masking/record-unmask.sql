-- Records the operator and the reason before the masked values are shown.
insert into dlq_audit (actor, action, reason, event_id)
values (:actor, 'unmask', :reason, :eventId::bigint)
returning id;
