import * as v from 'valibot';
import { ExportFormatSchema, exportEvents, exportTypes } from '../../../shared/events/export-events.ts';
import { readFilterQuery } from '../../../shared/events/filter/read-filter.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import type { ReplayDeps } from '../../../shared/replay/replay-deps.ts';
import { operation } from '../api/operation.ts';
import { filterEntries } from './filter-query.ts';

const query = {
  ...filterEntries,
  format: v.optional(
    v.pipe(
      ExportFormatSchema,
      v.description('Full events as lines of JSON, or the fields of the list as CSV.'),
    ),
    'ndjson',
  ),
};

export const exportEventsOperation = operation(
  {
    operationId: 'exportEvents',
    summary: 'Export events',
    description:
      'All events that a filter matches, the newest first. NDJSON has one event per line, as `GET /events/{id}` shows it, with masked values as "(hidden)"; CSV has the fields of the list, and an apostrophe before a text that a spreadsheet would run as a formula. An incomplete response has no last chunk.',
    tag: 'events',
    query,
    responses: {
      200: { description: 'The events.', schema: v.string(), types: Object.values(exportTypes) },
    },
  },
  async (deps: Pick<ReplayDeps, 'db' | 'routes' | 'masks' | 'costLimit'>, request) => {
    const { format, archived, ...terms } = request.query;
    const filter = readFilterQuery(terms, request.now);
    await guardProbes(deps, request.caller, { filter });
    const isArchived = archived === 'true';
    const lines = exportEvents(deps, { filter, isArchived, format });
    return { lines, headers: { 'content-type': `${exportTypes[format]}; charset=utf-8` } };
  },
);
