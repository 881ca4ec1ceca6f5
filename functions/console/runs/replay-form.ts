import type { Problem } from '../../../shared/errors.ts';
import { type Pace, paceNames, paces, type Rollout } from '../../../shared/replay/rollout.ts';
import { type RunRequest, readRunRequest } from '../../../shared/replay/run-request.ts';
import { readJson } from '../components/json-problem.ts';
import { readPreviewedFilter } from '../events/previewed-filter.ts';

/** The fields that decide which events are replayed, with which content, and to which target. */
const selectionFields = ['q', 'includeSucceeded', 'includeDiscarded', 'target', 'patch'] as const;

/** The fields of the form; all except `q` are optional. */
const replayFields = [...selectionFields, 'asOf', 'pace', 'start', 'startAt', 'notAfter', 'reason'] as const;

export type ReplayForm = Readonly<Partial<Record<(typeof replayFields)[number], string>>>;

/** Reads the form, without its empty fields. */
export function readReplayForm(fields: URLSearchParams): ReplayForm {
  const given = replayFields.map((name) => [name, fields.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The selection of a form as text, to tell whether it has changed since its preview. */
export function serializeSelection(form: ReplayForm): string {
  return JSON.stringify(selectionFields.map((name) => form[name] ?? ''));
}

/** What to do while a target gets no deliveries, with the fields of a request for each. */
export const starts: Readonly<Record<string, { readonly says: string; readonly fields: Partial<Rollout> }>> =
  {
    wait: { says: 'Wait until it is back', fields: { waitForTarget: true } },
    one: { says: 'Send 1 event to find out', fields: { canary: 1, toHeldTargets: true } },
    anyway: { says: 'Send all, although it is', fields: { toHeldTargets: true } },
  };

/** The pace that a rollout is; undefined for one that only the API offers. */
export function paceOf(rollout: Rollout): Pace | undefined {
  const print = ({ canary, ramp, ratePerSecond, gate }: Rollout) =>
    JSON.stringify([canary, ramp, ratePerSecond, gate ? gate.maxFailureRatio : 1]);
  return paceNames.find((name) => print(paces[name].rollout) === print(rollout));
}

/** An edit of one event, in the format of the replay API. */
export type Edit = {
  readonly body?: string | { readonly base64: string };
  readonly headers?: unknown;
};

type RequestOptions = {
  readonly now: Date;
  readonly dryRun: boolean;
  readonly key?: string | undefined;
  readonly edit?: Edit | undefined;
  /** That of the preview which the form is beside. */
  readonly selection?: string | undefined;
};

/**
 * The replay request of a form. Events captured after the preview are excluded. Throws an InputError with
 * every problem.
 */
export function composeRequest(form: ReplayForm, { now, key, ...options }: RequestOptions): RunRequest {
  const { q, asOf, start = '', patch, includeSucceeded, includeDiscarded, ...fields } = form;
  const json = JSON.stringify({
    ...fields,
    ...(Object.hasOwn(starts, start) && starts[start]?.fields),
    filter: readPreviewedFilter({ text: q ?? '', asOf, now }),
    includeSucceeded: includeSucceeded === 'on',
    includeDiscarded: includeDiscarded === 'on',
    ...options,
  });
  return readRunRequest({ raw: addPatch(json, patch), key, now });
}

/** Inserts the text of a patch as it is: parsing and printing it would change large numbers. */
export function addPatch(json: string, patch: string | undefined): string {
  if (patch === undefined) return json;
  readJson('patch', patch);
  return `${json.slice(0, -1)},"patch":${patch}}`;
}

/** The fields of the form that show what is wrong with them. */
const placed = ['reason', 'startAt', 'notAfter', 'patch'];

/** The problem of each field of the form, and the problems of all else. */
export function placeProblems(problems: readonly Problem[]) {
  const nameOf = ({ field }: Problem) => /^\w+/.exec(field)?.[0] ?? '';
  const isPlaced = (problem: Problem) => placed.includes(nameOf(problem));
  return {
    atFields: Object.fromEntries(problems.filter(isPlaced).map((each) => [nameOf(each), each.remedy])),
    others: problems.filter((each) => !isPlaced(each)),
  };
}
