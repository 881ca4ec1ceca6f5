/** SQL over a row of dlq_events: the dlo-event-id of each of its redeliveries. */
export const redelivery = `concat(id, '.', replace(redelivery_token::text, '-', ''))`;
