import { SourceListSchema, type SourceRecord, SourceSchema } from '../capture/sources/source.ts';
import { readJsonList } from '../config/json-list.ts';
import { defineText, type Texts } from '../config/setting.ts';
import type { Checked } from '../config/validate.ts';

export const sourceSettings = {
  SOURCES: defineText(
    { allowed: 'JSON list', secret: 'parts', readBy: ['capture'] },
    'Sources, which say how messages are read (docs/capture.md).',
  ),
  SOURCES_FILE: defineText(
    { allowed: 'path', secret: 'parts', readBy: ['capture'], stack: { unset: 'SOURCES is a secret.' } },
    'JSON file with the sources, in place of SOURCES.',
  ),
};

/** The fields of a source but its name: how its messages are read. */
export const readingEntries = (({ name: _, ...entries }) => entries)(SourceSchema.entries);

/** Reads the sources from SOURCES or from the file that SOURCES_FILE names; none if both are unset. */
export function readSources(env: Texts<typeof sourceSettings>): Checked<readonly SourceRecord[]> {
  return readJsonList(SourceListSchema, env, { name: 'SOURCES', what: 'sources' });
}
