import type { Request, Response } from 'express';
import { check, unwrap } from '../../../shared/config/validate.ts';
import { ExportFormatSchema, exportEvents, exportTypes } from '../../../shared/events/export-events.ts';
import { readFilterQuery } from '../../../shared/events/filter/read-filter-query.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import { sendLines } from '../../send-lines.ts';
import type { ConsoleDeps } from '../page.ts';
import { openPageContext } from '../page-context.ts';

/** `GET /events/export?q=&format=`: the events of a list as a file, with the masks of their routes. */
export async function exportList(deps: ConsoleDeps, request: Request, response: Response): Promise<void> {
  const { query, caller, now } = openPageContext(request, response, deps);
  const format = unwrap(check(ExportFormatSchema, query.get('format'), 'format'));
  const filter = readFilterQuery({ q: query.get('q') ?? '' }, now);
  await guardProbes(deps, caller, { filter });
  const isArchived = query.get('archived') === 'true';
  await sendLines(response, exportEvents(deps, { filter, isArchived, format }), () => {
    response.attachment(`events-${now.toISOString().slice(0, 10)}.${format}`);
    // After `attachment`, which sets a type by the extension of the name.
    response.type(`${exportTypes[format]}; charset=utf-8`);
  });
}
