import * as v from 'valibot';
import { SourceSchema } from '../capture/sources/source.ts';
import { variable } from './variable.ts';

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

/** The fields of a source but its name: how its messages are read. */
export const readingEntries = (({ name: _, ...entries }) => entries)(SourceSchema.entries);
