-- Records an operator whose request compares masked values, before its answer is shown. Not the values:
-- viewers read the audit.
insert into dlq_audit (actor, action, details)
values (:actor, 'compare masked values', jsonb_build_object('paths', :paths::text[]))
returning id;
