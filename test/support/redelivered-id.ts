/** The id of the event that a redelivery names in `dlo-event-id: <id>.<token>`. */
export function redeliveredId(headers: Readonly<Record<string, unknown>>): string {
  return String(headers['dlo-event-id']).split('.')[0] ?? '';
}
