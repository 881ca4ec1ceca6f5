import type { Preview } from '../../../shared/replay/preview-run.ts';
import { type Pace, paceNames, paceOf } from '../../../shared/replay/rollout.ts';
import { type RunRequest, readRunRequest } from '../../../shared/replay/run-request.ts';
import { picture } from '../components/chart.ts';
import { radioField } from '../components/form.ts';
import { formatDuration } from '../components/format.ts';
import { readJson } from '../components/read-form.ts';
import { isUnreachable } from '../components/target-state.ts';
import { readPreviewedFilter } from '../events/search.ts';
import { type Html, html } from '../html.ts';

const selectionFields = ['q', 'target', 'patch'] as const;

const replayFields = [...selectionFields, 'asOf', 'pace', 'start', 'startAt', 'notAfter', 'reason'] as const;

export type ReplayForm = Readonly<Partial<Record<(typeof replayFields)[number], string>>>;

/** Reads the form, without its empty fields. */
export function readReplayForm(fields: URLSearchParams): ReplayForm {
  const given = replayFields.map((name) => [name, fields.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The selection of a form as text, which shows whether it has changed since its preview. */
export function serializeSelection(form: ReplayForm): string {
  return JSON.stringify(selectionFields.map((name) => form[name] ?? ''));
}

/** How a replay behaves while a target is down or held. */
const starts = { wait: { waitForTarget: true }, anyway: { toHeldTargets: true } };

/** An edit of one event, in the format of the replay API. */
export type Edit = { readonly body?: string | { readonly base64: string }; readonly headers?: unknown };

type RequestOptions = {
  readonly now: Date;
  readonly dryRun: boolean;
  readonly key?: string | undefined;
  readonly edit?: Edit | undefined;
  /** That of the preview which the form is beside. */
  readonly selection?: string | undefined;
};

/** The request of a form, without events captured after its preview. Throws an InputError. */
export function composeRequest(form: ReplayForm, { now, key, ...options }: RequestOptions): RunRequest {
  const { q: _, asOf: __, start, patch, ...fields } = form;
  const json = JSON.stringify({
    ...fields,
    ...(start === 'wait' || start === 'anyway' ? starts[start] : {}),
    filter: readPreviewedFilter(form, now),
    ...options,
  });
  return readRunRequest({ raw: addPatch(json, patch), key, now });
}

/** Inserts the text of a patch as it is: parsing and printing it would change large numbers. */
function addPatch(json: string, patch: string | undefined): string {
  if (patch === undefined) return json;
  readJson('patch', patch);
  return `${json.slice(0, -1)},"patch":${patch}}`;
}

/** The choice of a pace, each with its picture and its estimate; one event has none. */
export function paceChoice(form: ReplayForm, preview: Preview): Html | false {
  if (preview.selected < 2) return false;
  const options = paceNames.map((value) => {
    const pace = paceOf({ pace: value });
    const more = html`${drawSteps(pace)}<span class="muted small">${pace.meaning} <b>${estimate(preview, pace)}</b></span>`;
    return { value, text: capitalize(value), more };
  });
  return radioField({ name: 'pace', label: 'Pace', value: form.pace ?? 'normal', options });
}

/** The choice of a start, while a target of the selection gets no deliveries. */
export function startChoice(form: ReplayForm, { targets }: Preview): Html | false {
  const stopped = targets.find(({ state }) => isUnreachable(state) && state.state !== 'paused');
  if (!stopped) return false;
  const [is, isOver] = stopped.state.state === 'held' ? ['held', 'released'] : ['down', 'back'];
  const options = [
    { value: 'wait', text: `Wait until it is ${isOver}` },
    { value: 'anyway', text: `Send, although it is ${is}` },
  ];
  return radioField({ name: 'start', label: `A target is ${is}`, value: form.start ?? 'wait', options });
}

/** How long a replay takes at a pace, if nothing fails. */
function estimate({ estimatedSeconds, selected }: Preview, { ratePerSecond: rate, hasCanary }: Pace): string {
  if (estimatedSeconds === null && rate === undefined) return 'Its duration is not known yet.';
  const seconds = Math.max(estimatedSeconds ?? 0, selected / (rate ?? Number.POSITIVE_INFINITY));
  const duration = seconds < 1 ? 'less than a second' : `about ${formatDuration(seconds * 1000)}`;
  return hasCanary ? `After that ${duration}.` : `${capitalize(duration)}.`;
}

const capitalize = (words: string) => `${words[0]?.toUpperCase()}${words.slice(1)}`;

function drawSteps({ ramp = [], ratePerSecond: rate }: Pace): Html {
  const all = 1000;
  const steps = rate === undefined ? [...ramp, all] : [rate];
  const bars = steps.map((step, i) => {
    const width = i === steps.length - 1 ? 64 - i * 10 : 8;
    return { x: i * 10, width, height: 2 + (14 * Math.log10(step)) / Math.log10(all) };
  });
  return picture('pace', [64, 16], bars);
}
