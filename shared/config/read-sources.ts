import * as v from 'valibot';
import { mediaTypes, SourceListSchema, type SourceRecord } from '../capture/sources/source.ts';
import { transports } from '../capture/transports.ts';
import { formats } from '../message/formats/formats.ts';
import { readJsonList } from './json-list.ts';
import type { SourcesSchema } from './sources.ts';
import type { Checked } from './validate.ts';
import type { Texts } from './variable.ts';

const formatNames = new Set([
  ...['message', ...Object.keys(mediaTypes)],
  ...transports.map(([name]) => name),
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
export function readSources(env: Texts<typeof SourcesSchema.entries>): Checked<readonly SourceRecord[]> {
  return readJsonList(KnownSourcesSchema, env, { name: 'SOURCES', what: 'sources' });
}
