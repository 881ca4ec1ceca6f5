import * as v from 'valibot';
import { AuditEntrySchema, listAudit } from '../../shared/events/audit.ts';
import { EventIdSchema, maxBigint } from '../../shared/events/event-id.ts';
import { TextSchema } from '../../shared/events/filter/filter-values.ts';
import type { ReplayDeps } from '../../shared/replay/replay-deps.ts';
import { FilterTimeSchema, resolveTime } from '../../shared/time-text.ts';
import { operation } from './api/operation.ts';
import { pageOf, pageQuery, readPage, toPage } from './api/page.ts';

const query = {
  event: v.optional(
    v.pipe(EventIdSchema, v.description('Lists actions on this event, alone or with others.')),
  ),
  run: v.optional(v.pipe(EventIdSchema, v.description('Lists actions on this run.'))),
  fingerprint: v.optional(
    v.pipe(
      TextSchema,
      v.description('Lists actions on this error group, on those merged into it, and its merges and splits.'),
    ),
  ),
  actor: v.optional(
    v.pipe(
      TextSchema,
      v.description('Lists actions of actors whose name contains this, in upper or lower case.'),
    ),
  ),
  action: v.optional(v.pipe(TextSchema, v.description('Lists actions of this kind, such as `discard`.'))),
  since: v.optional(v.pipe(FilterTimeSchema, v.description('Lists actions at this time or later.'))),
  ...pageQuery,
};

export const listAuditOperation = operation(
  {
    summary: 'List the actions of operators',
    description: 'Every action: who, when, what and why. Entries cannot be changed.',
    query,
    returns: pageOf(AuditEntrySchema),
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks'>, request) => {
    const { terms, start: before = maxBigint, page } = readPage(request);
    const { event: eventId, run: runId, since, ...others } = terms;
    const from = since && resolveTime(since, page.now);
    const rows = await listAudit(
      deps,
      { eventId, runId, since: from, ...others },
      { before, max: page.limit + 1 },
    );
    return { body: toPage(rows, page) };
  },
);
