import * as v from 'valibot';
import { SourceListSchema, type SourceRecord } from '../capture/sources/source.ts';
import { readJsonList } from './json-list.ts';
import type { Checked } from './validate.ts';
import { type Texts, variable } from './variable.ts';

export const SourcesSchema = v.object({
  SOURCES: variable(
    { allowed: 'JSON list', description: 'Sources, which say how messages are read (docs/sources.md).' },
    v.optional(v.string()),
  ),
  SOURCES_FILE: variable(
    { allowed: 'path', description: 'JSON file with the sources, in place of SOURCES.' },
    v.optional(v.string()),
  ),
});

/** Reads the sources from SOURCES or from the file that SOURCES_FILE names; none if both are unset. */
export function readSources(env: Texts<typeof SourcesSchema.entries>): Checked<readonly SourceRecord[]> {
  return readJsonList(SourceListSchema, env, { name: 'SOURCES', what: 'sources' });
}
