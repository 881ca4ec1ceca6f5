import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { statuses } from '../../../shared/errors.ts';
import { AuditEntrySchema } from '../../../shared/events/audit.ts';
import { EventSchema } from '../../../shared/events/event-columns.ts';
import { EventIdSchema } from '../../../shared/events/event-id.ts';
import { FilterSchema, SelectiveFilterSchema } from '../../../shared/events/filter/filter-schema.ts';
import { AttemptSchema } from '../../../shared/events/list-events.ts';
import { GroupDetailSchema, GroupSchema } from '../../../shared/groups/error-groups.ts';
import { Status } from '../../../shared/message/event.ts';
import { PreviewGroupSchema } from '../../../shared/replay/estimate-selection.ts';
import { RunEventSchema } from '../../../shared/replay/list-run-events.ts';
import { PreviewSchema } from '../../../shared/replay/preview-run.ts';
import { ProgressSchema, RunSchema } from '../../../shared/replay/run.ts';
import { RunRequestSchema } from '../../../shared/replay/run-request.ts';
import { MessageSchema } from '../../../shared/replay/show-change.ts';
import { RunDetailSchema } from '../../../shared/replay/show-run.ts';
import { described, integer, listOf, text } from '../../../shared/response-values.ts';
import { ForecastSchema } from '../../../shared/schedule/forecast.ts';
import { TargetDetailSchema, TargetViewSchema } from '../../../shared/targets/show-targets.ts';
import { EventItem } from '../event-operations.ts';
import type { Description, OperationDescription, Route, Schemas } from './operation.ts';

const ProblemSchema = v.pipe(
  v.strictObject({
    status: integer,
    title: text,
    detail: text,
    code: described(v.picklist(Object.keys(statuses)), 'Stable, unlike the texts.'),
    problems: v.exactOptional(
      described(
        listOf(v.strictObject({ field: text, value: v.exactOptional(v.unknown()), remedy: text })),
        'Everything that is wrong with the request.',
      ),
    ),
    previewed: v.exactOptional(described(integer, 'With SELECTION_CHANGED: how many were previewed.')),
    preview: v.exactOptional(PreviewSchema),
  }),
  v.description('A failure and its remedy (RFC 9457).'),
);

/** The schemas that the document names; all others stand where they are used. */
export const components = {
  Attempt: AttemptSchema,
  AuditEntry: AuditEntrySchema,
  Event: EventSchema,
  EventId: EventIdSchema,
  ErrorGroup: GroupSchema,
  ErrorGroupDetail: GroupDetailSchema,
  Filter: FilterSchema,
  Forecast: ForecastSchema,
  EventItem,
  Message: MessageSchema,
  PreviewGroup: PreviewGroupSchema,
  Problem: ProblemSchema,
  Progress: ProgressSchema,
  Run: RunSchema,
  RunDetail: RunDetailSchema,
  RunEvent: RunEventSchema,
  RunPreview: PreviewSchema,
  RunRequest: RunRequestSchema,
  SelectiveFilter: SelectiveFilterSchema,
  Status,
  Target: TargetViewSchema,
  TargetDetail: TargetDetailSchema,
};

const schemaOf = (schema: v.GenericSchema) => describeSchema(schema, components);

/** The OpenAPI 3.1 document of an API, generated from the schemas of its operations. */
export async function describeApi(routes: readonly Route[]): Promise<Description> {
  const paths: Record<string, Description> = {};
  for (const [method, path, operationId, load] of routes) {
    const [, tag] = path.split('/');
    const described = { operationId, tags: [tag], ...describeOperation((await load()).description) };
    paths[path] = { ...paths[path], [method]: described };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Dead Letter Office: replay',
      version: '1',
      description:
        'Inspects failed events, and changes or replays many of them at once. Every action is audited.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.' }],
    security: [{ idToken: [] }],
    paths,
    components: {
      securitySchemes: {
        idToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A Google ID token for this service.',
        },
      },
      responses: {
        Problem: {
          description: 'The request failed; `code` and `detail` say why.',
          content: { 'application/problem+json': { schema: schemaOf(ProblemSchema) } },
        },
      },
      schemas: describeComponents(components),
    },
  };
}

function describeOperation(operation: OperationDescription): Description {
  const {
    params = {},
    query = {},
    headers = {},
    body,
    returns,
    statuses = [200],
    types,
    ...texts
  } = operation;
  const parameters = [
    ...describeParameters('path', params),
    ...describeParameters('header', headers),
    ...describeParameters('query', query),
  ];
  const description = v.getDescription(returns) ?? 'Success.';
  const success = { description, content: describeContent(returns, types) };
  return {
    ...texts,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: !v.is(body, {}), content: describeContent(body) } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, success])),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function describeParameters(location: string, schemas: Schemas) {
  return Object.entries(schemas).map(([name, entry]) => {
    const { description = v.getDescription(entry), ...schema } = schemaOf(entry);
    const required = location === 'path';
    return { name, in: location, required, ...(description !== undefined && { description }), schema };
  });
}

function describeContent(
  schema: v.GenericSchema,
  types: readonly string[] = ['application/json'],
): Description {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaOf(schema) }]));
}

type Components = Readonly<Record<string, v.GenericSchema>>;

/** The members of valibot schemas that the conversion looks at; each kind of schema has some of them. */
type Members = v.GenericSchema & {
  readonly wrapped?: v.GenericSchema;
  readonly default?: unknown;
  readonly getter?: (input: unknown) => v.GenericSchema;
};

/** Describes in JSON Schema 2020-12 what each of `components` accepts. Throws for what it cannot express. */
export function describeComponents(components: Components): Description {
  const described = toJsonSchemaDefs({ ...components }, config);
  // The conversion adds each lazy schema under a number.
  return Object.fromEntries(Object.keys(components).map((name) => [name, described[name]]));
}

/** Describes what a schema accepts, with references to `components` (`#/components/schemas/<name>`). */
export function describeSchema(schema: v.GenericSchema, components: Components = {}): Description {
  const converted = toJsonSchema(schema, { ...config, definitions: { ...components } });
  const { $schema: _, $defs: __, ...described } = converted;
  return described;
}

const overrides: Readonly<Record<string, (schema: Members, described: Description) => Description>> = {
  date: () => ({ type: 'string', format: 'date-time' }),
  // Its metadata says the rest.
  custom: () => ({}),
  // The getters in this code return one schema for a list and another for a single value.
  lazy: ({ getter = v.unknown }) => ({
    anyOf: [describeSchema(getter(undefined)), describeSchema(getter([]))],
  }),
  optional: describeOptional,
  exact_optional: describeOptional,
};

/** Adds the description behind a transformation, and the default as it is after it. */
function describeOptional(schema: Members, described: Description): Description {
  const { wrapped = v.unknown(), default: byDefault } = schema;
  const description = v.getDescription(wrapped);
  return {
    ...described,
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: v.parse(wrapped, byDefault) }),
  };
}

const config: ConversionConfig = {
  target: 'draft-2020-12',
  typeMode: 'input',
  // JSON Schema has no keyword for them.
  ignoreActions: ['check', 'raw_check', 'readonly', 'to_upper_case', 'trim'],
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    overrides[valibotSchema.type]?.(valibotSchema, { ...jsonSchema }),
};
