import { paceNames, paces } from '../../../shared/replay/pace.ts';
import type { Preview } from '../../../shared/replay/preview-run.ts';
import type { Rollout } from '../../../shared/replay/rollout.ts';
import { radioField } from '../components/form.ts';
import { formatDuration } from '../components/format.ts';
import { isUnreachable } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import { type ReplayForm, starts } from './replay-form.ts';

/** The choice of a pace, each with its picture and its estimate; one event has none. */
export function paceChoice(form: ReplayForm, preview: Preview): Html | false {
  if (preview.selected < 2) return false;
  const options = paceNames.map((name) => {
    const { meaning, rollout } = paces[name];
    const more = html`${picture(rollout)}<span class="muted small">${meaning} <b>${estimate(preview, rollout)}</b></span>`;
    return { value: name, text: `${name[0]?.toUpperCase()}${name.slice(1)}`, more };
  });
  return radioField({ name: 'pace', label: 'Pace', value: form.pace ?? 'normal', options });
}

/** The choice of a start, while a target of the selection gets no deliveries. */
export function startChoice(form: ReplayForm, preview: Preview): Html | false {
  const [stopped] = preview.targets.filter(({ state }) => isUnreachable(state));
  if (!stopped) return false;
  const words = stopped.state.state === 'held' ? 'held' : 'down';
  const options = Object.entries(starts).map(([value, { says }]) => ({
    value,
    text:
      value === 'anyway'
        ? `${says} ${words}`
        : value === 'wait' && words === 'held'
          ? 'Wait until it is released'
          : says,
  }));
  return radioField({ name: 'start', label: `A target is ${words}`, value: form.start ?? 'wait', options });
}

/** How long a replay takes at a pace, if nothing fails. */
function estimate({ estimatedSeconds, selected }: Preview, { ratePerSecond: rate, canary }: Rollout): string {
  const atRate = selected / (rate ?? Number.POSITIVE_INFINITY);
  if (estimatedSeconds === null && rate === undefined) return 'Its duration is not known yet.';
  const seconds = Math.max(estimatedSeconds ?? 0, atRate);
  const duration = seconds < 1 ? 'less than a second' : `about ${formatDuration(seconds * 1000)}`;
  return canary === undefined
    ? `${duration[0]?.toUpperCase()}${duration.slice(1)}.`
    : `After that ${duration}.`;
}

/** The steps of a pace as bars, up to the height of a replay without a limit. */
function picture({ ramp = [], ratePerSecond: rate }: Rollout): Html {
  const all = 1000;
  const steps = rate === undefined ? [...ramp, all] : [rate];
  const bars = steps.map((step, i) => {
    const height = 2 + (14 * Math.log10(step)) / Math.log10(all);
    const [x, width] = [i * 10, i === steps.length - 1 ? 64 - i * 10 : 8];
    return html`<rect x="${x}" y="${(16 - height).toFixed(1)}" width="${width}" height="${height.toFixed(1)}"/>`;
  });
  return html`<svg class="pace" viewBox="0 0 64 16" width="64" height="16" aria-hidden="true">${bars}</svg>`;
}
