update dlq_error_groups as error_group
set title = given.title, causes = given.causes, frame = given.frame
from json_to_recordset(:titles) as given (fingerprint text, title text, causes text[], frame text)
where error_group.fingerprint = given.fingerprint and error_group.title is null;
