import * as v from 'valibot';
import { transportNames } from '../capture/read-messages.ts';
import { mediaTypes, SourceListSchema, type SourceRecord, SourceSchema } from '../capture/sources/source.ts';
import { readJsonList } from '../config/json-list.ts';
import { defineText, type Texts } from '../config/setting.ts';
import type { Checked } from '../config/validate.ts';
import { formats } from '../message/formats/formats.ts';

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

const formatNames = new Set([
  ...['message', ...Object.keys(mediaTypes)],
  ...transportNames,
  ...formats.map(({ name }) => name),
]);

const KnownSourcesSchema = v.pipe(
  SourceListSchema,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const { name, format } of dataset.value) {
      if (format === undefined || formatNames.has(format)) continue;
      addIssue({ message: `Source "${name}": "${format}" is not one of ${[...formatNames].join(', ')}.` });
    }
  }),
);

/** Reads the sources from SOURCES or from the file that SOURCES_FILE names; none if both are unset. */
export function readSources(env: Texts<typeof sourceSettings>): Checked<readonly SourceRecord[]> {
  return readJsonList(KnownSourcesSchema, env, { name: 'SOURCES', what: 'sources' });
}
