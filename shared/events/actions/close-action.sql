-- Records the outcome of an action in a second row: rows of the audit never change.
insert into dlq_audit (actor, action, closes, details) values (:actor, :action, :auditId, :details);
