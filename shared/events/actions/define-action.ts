import * as v from 'valibot';
import { unwrap, validate } from '../../config/validate.ts';
import { InputError } from '../../errors.ts';
import type { Status } from '../../message/event.ts';
import { type Filter, SelectiveFilterSchema } from '../filter/filter-schema.ts';
import { readFilter } from '../filter/read-filter.ts';
import { dryRunEntry, reasonEntry } from './operator-text.ts';
import type { RequestedAction, StateChange } from './run-action.ts';

/** A field of a request beside its filter and reason, and how the form of the console asks for it. */
export type ActionInput = {
  readonly schema: v.GenericSchema;
  readonly label: string;
  readonly control: 'number' | 'text';
  /** A valid value, which the form proposes. */
  readonly initial: string;
  readonly hint?: string;
};

type Inputs = Readonly<Record<string, ActionInput>>;
type ValuesOf<Given extends Inputs> = {
  readonly [Name in keyof Given]: v.InferOutput<Given[Name]['schema']>;
};

/** An action on many events. All that operators see of it derives from its definition. */
type Definition<Name extends string, Given extends Inputs> = {
  /** Its name in the API, at `/events/<name>`, and in the audit. */
  readonly name: Name;
  /** The key of its button in a list. */
  readonly key: string;
  readonly verb: string;
  /** The verb as a participle: `discarded`. */
  readonly done: string;
  readonly effect: string;
  readonly tone: 'primary' | 'danger';
  /** The statuses that it can change. An event whose lease has expired counts as PENDING. */
  readonly statuses: readonly Status[];
  /** Statuses that it can change, too, if the filter names them. */
  readonly ifNamed?: readonly Status[];
  readonly inputs: Given;
  readonly sets: (values: ValuesOf<Given>, now: Date) => StateChange;
};

/** A request for an action: its JSON, its sender, and the time from which relative times count back. */
export type ActionRequest = { readonly body: unknown; readonly actor: string; readonly now: Date };

export type EventAction = Omit<Definition<string, Inputs>, 'sets'> & {
  /** With PROCESSING for PENDING, and those that a filter has to name. */
  readonly allStatuses: readonly Status[];
  /** Its requests. */
  readonly schema: v.GenericSchema;
  /** Parses a request. Throws InputError with every problem. */
  readonly read: (request: ActionRequest) => RequestedAction;
};

/** The kind of an input. */
export const describeInput = ({ label, hint }: ActionInput) => [label, hint].filter(Boolean).join('. ');

export function defineAction<const Name extends string, const Given extends Inputs>({
  sets,
  ...definition
}: Definition<Name, Given>): EventAction & { readonly name: Name } {
  const { name, statuses, ifNamed = [], inputs } = definition;
  const schema = requestSchema(inputs);
  const withLeased = statuses.flatMap((each) =>
    each === 'PENDING' ? [each, 'PROCESSING' as const] : [each],
  );
  return {
    ...definition,
    allStatuses: [...withLeased, ...ifNamed],
    schema,
    read({ body, actor, now }) {
      const { filter: asked, reason, dryRun, ...values } = validate(schema, body);
      const filter = unwrap(readFilter(asked, { now, at: 'filter' }));
      const change = sets(values as ValuesOf<Given>, now);
      const narrowed = narrowStatus(filter, filter.status ? [...withLeased, ...ifNamed] : withLeased);
      const details = { filter, ...values, sets: change };
      return { dryRun, action: { name, actor, reason, filter: narrowed, sets: change, details } };
    },
  };
}

function requestSchema(inputs: Inputs) {
  const entries = Object.entries(inputs).map(([field, input]): [string, v.GenericSchema] => [
    field,
    v.pipe(input.schema, v.description(describeInput(input))),
  ]);
  const common = { filter: SelectiveFilterSchema, reason: reasonEntry, dryRun: dryRunEntry };
  return v.strictObject({ ...common, ...Object.fromEntries(entries) });
}

/** Limits a filter to the statuses that an action can change. Throws InputError if it selects none. */
function narrowStatus(filter: Filter, statuses: readonly Status[]): Filter {
  const status = statuses.filter((each) => filter.status?.includes(each) ?? true);
  if (status.length > 0) return { ...filter, status };
  const remedy = `Use a status that this action can change: ${statuses.join(', ')}.`;
  throw new InputError([{ field: 'filter.status', value: filter.status, remedy }]);
}
