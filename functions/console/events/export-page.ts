import { validate } from '../../../shared/config/validate.ts';
import { ExportFormatSchema, exportEvents, exportTypes } from '../../../shared/events/export-events.ts';
import { readFilterQuery } from '../../../shared/events/filter/read-filter-query.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { streamLines } from '../../stream-lines.ts';
import { attachment } from '../attachment.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

/** `GET /events/export?q=&format=`: the events of a list as a file, with the masks of their routes. */
export async function exportList(deps: ConsoleDeps, { query, caller, now }: PageContext): Promise<Response> {
  const format = validate(ExportFormatSchema, query.get('format'), 'format');
  const filter = readFilterQuery({ q: query.get('q') ?? '' }, now);
  await guardProbes(deps, caller, { filter });
  const isArchived = query.get('archived') === 'true';
  const lines = await streamLines(exportEvents(deps, { filter, isArchived, format }));
  const name = `events-${now.toISOString().slice(0, 10)}.${format}`;
  return attachment(lines, name, `${exportTypes[format]}; charset=utf-8`);
}
