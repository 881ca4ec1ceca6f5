import * as v from 'valibot';
import { formats } from '../../message/formats/formats.ts';
import { transportFormats } from '../../message/formats/transports.ts';
import { webhookFormats } from '../../message/formats/webhooks.ts';

/** The media types that a source declares for its requests, by the name of the format. */
export const mediaTypes: Readonly<Record<string, string>> = {
  report: 'application/vnd.dead-letter-office.report+json',
  'kafka-binary': 'application/vnd.kafka.binary.v2+json',
  'kafka-json': 'application/vnd.kafka.json.v2+json',
  'kafka-text': 'application/vnd.kafka.text.v2+json',
  lines: 'application/x-ndjson',
};

const declaring =
  /^application\/(?:(cloudevents)(?:-batch)?\+json|vnd\.(kafka)\.(?:binary|json|text)\b|vnd\.dead-letter-office\.(report)\+json)/i;

/** The format that a media type declares: `cloudevents`, `kafka` or `report`. */
export const findDeclared = (type: string | null | undefined) =>
  declaring.exec(type ?? '')?.findLast(Boolean);

const place = "(header:[!#$%&'*+.^_`|~0-9a-z-]+|query:[^|]+|(json|form):(/([^~/|]|~[01])*)+)";
const usePlace =
  'Use "header:NAME", with the name in lower case, "query:NAME", "json:/POINTER" or "form:/FIELD".';
// Conversions are those of formats alone.
const places = new RegExp(`^(?!.* as )${place}( \\| ${place})*$`);
const PlaceSchema = v.pipe(v.string(usePlace), v.regex(places, usePlace));
/** One place, or several whose values are joined. */
const PlacesSchema = v.optional(
  v.pipe(
    v.union([PlaceSchema, v.array(PlaceSchema)], 'Use a place such as "header:NAME", or a list of places.'),
    v.transform((places) => [places].flat()),
    v.minLength(1, 'Name at least one place, or remove it.'),
    v.maxLength(4, 'Name at most four places.'),
  ),
);
const useNames =
  'Use a list of the names of headers in lower case; a `*` at the end of one stands for any text.';
const HeaderNameSchema = v.pipe(v.string(useNames), v.regex(/^[!#$%&'+.^_`|~0-9a-z-]+\*?$/, useNames));
const HeaderNamesSchema = v.optional(v.array(HeaderNameSchema, useNames), []);

const presets = webhookFormats.map(({ name }) => name);
const named = [...transportFormats, ...formats].map(({ name }) => name);
const declarable = [...new Set(['message', ...Object.keys(mediaTypes), ...named])];

/** What a sender declares, and where facts are that its bytes do not name. */
export const SourceSchema = v.strictObject(
  {
    /** `POST /capture/NAME`; `default` reads what has no other source. */
    name: v.pipe(
      v.string('Use a name, such as "shop".'),
      v.regex(/^[a-z][a-z0-9-]{0,40}$/, 'Use lower-case letters, digits and hyphens, such as "shop".'),
    ),
    /** The preset whose fields hold where this record has none. */
    preset: v.optional(v.picklist(presets, `Use one of ${presets.join(', ')}.`)),
    format: v.optional(v.picklist(declarable, `Use one of ${declarable.join(', ')}.`)),
    id: PlacesSchema,
    type: PlacesSchema,
    key: PlacesSchema,
    consumer: PlacesSchema,
    reason: PlacesSchema,
    /** Whether the elements of an array, and lines, are messages of their own. */
    split: v.optional(v.boolean('Use true or false.')),
    keepHeaders: HeaderNamesSchema,
    withholdHeaders: HeaderNamesSchema,
    secret: v.optional(v.pipe(v.string(), v.minLength(16, 'Use at least 16 characters.'))),
  },
  'Give each source as an object: {"name": "shop"}.',
);

export const SourceListSchema = v.pipe(
  v.array(SourceSchema, 'Use a list of sources.'),
  v.partialCheck(
    [['$', 'name']],
    (sources) => new Set(sources.map(({ name }) => name)).size === sources.length,
    'Give each source a name of its own.',
  ),
);

export type SourceRecord = v.InferOutput<typeof SourceSchema>;
