import { RestoredSchema, RestoreSchema, restore } from '../../../shared/archive/restore.ts';
import type { Database } from '../../../shared/database/database.ts';
import { type Operation, operation } from '../api/operation.ts';

/** `POST /events/restore`. */
export function restoreOperation({ db }: { readonly db: Database }): Operation {
  return operation(
    {
      operationId: 'restoreEvents',
      summary: 'Restore archived events',
      description:
        'Moves events back from the archive, unchanged. An event that was captured again meanwhile stays archived.',
      tag: 'events',
      body: RestoreSchema,
      responses: { 200: { description: 'The restored events.', schema: RestoredSchema } },
    },
    async ({ body, caller, now }) => ({
      body: await restore(db, { body, actor: caller.name, now }),
    }),
  );
}
