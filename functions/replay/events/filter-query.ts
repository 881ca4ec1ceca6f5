import * as v from 'valibot';

/** The query parameters that select events. */
export const filterEntries = {
  filter: v.optional(
    v.pipe(
      v.string(),
      v.metadata({
        description: 'Selects events, as JSON. Without `filter` and `q` the list has all events.',
        contentMediaType: 'application/json',
        contentSchema: { $ref: '#/components/schemas/Filter' },
      }),
    ),
  ),
  q: v.optional(v.pipe(v.string(), v.description('The same as text: `type:order.* failed:>24h`.'))),
  archived: v.optional(
    v.pipe(
      v.picklist(['true', 'false'], 'Use true or false.'),
      v.description('Lists the archive instead: closed events that are older than all others.'),
    ),
    'false',
  ),
};
