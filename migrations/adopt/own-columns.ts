/** Columns of dlq_events that the product alone fills. */
export const ownColumns = [
  'lease_token lease_expires_at is_open is_blocking event_key delivery_id earlier_delivery_ids redelivery_token is_type_told',
  'body printed_as content_rank payload_encoding source_key_bytes fingerprint first_error_reason first_error_class',
  'first_error_stacktrace first_fingerprint restored_at reopened_at edit_run_id sequence lane',
  'order_key delivery_count failed_delivery answer',
].flatMap((names) => names.split(' '));
