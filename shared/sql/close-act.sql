-- Says what came of an act, beside the row that opened it: nobody may change what the audit says.
insert into dlq_audit (actor, act, closes, details) values (:actor, :act, :auditId, :details);
