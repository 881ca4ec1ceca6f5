import type { Preview } from '../../../shared/replay/preview-run.ts';
import { paceNames, paces, type Rollout } from '../../../shared/replay/rollout.ts';
import { picture } from '../components/chart.ts';
import { radioField } from '../components/form.ts';
import { formatDuration } from '../components/format.ts';
import { isUnreachable } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';
import { type ReplayForm, starts } from './replay-form.ts';

/** The choice of a pace, each with its picture and its estimate; one event has none. */
export function paceChoice(form: ReplayForm, preview: Preview): Html | false {
  if (preview.selected < 2) return false;
  const options = paceNames.map((value) => {
    const { meaning, rollout } = paces[value];
    const more = html`${drawSteps(rollout)}<span class="muted small">${meaning} <b>${estimate(preview, rollout)}</b></span>`;
    return { value, text: capitalize(value), more };
  });
  return radioField({ name: 'pace', label: 'Pace', value: form.pace ?? 'normal', options });
}

/** The choice of a start, while a target of the selection gets no deliveries. */
export function startChoice(form: ReplayForm, { targets }: Preview): Html | false {
  const stopped = targets.find(({ state }) => isUnreachable(state));
  if (!stopped) return false;
  const isHeld = stopped.state.state === 'held';
  const words = isHeld ? 'held' : 'down';
  const texts: Readonly<Record<string, string>> = {
    anyway: `${starts.anyway?.says} ${words}`,
    ...(isHeld && { wait: 'Wait until it is released' }),
  };
  const options = Object.entries(starts).map(([value, { says }]) => ({ value, text: texts[value] ?? says }));
  return radioField({ name: 'start', label: `A target is ${words}`, value: form.start ?? 'wait', options });
}

/** How long a replay takes at a pace, if nothing fails. */
function estimate({ estimatedSeconds, selected }: Preview, { ratePerSecond: rate, canary }: Rollout): string {
  if (estimatedSeconds === null && rate === undefined) return 'Its duration is not known yet.';
  const seconds = Math.max(estimatedSeconds ?? 0, selected / (rate ?? Number.POSITIVE_INFINITY));
  const duration = seconds < 1 ? 'less than a second' : `about ${formatDuration(seconds * 1000)}`;
  return canary === undefined ? `${capitalize(duration)}.` : `After that ${duration}.`;
}

const capitalize = (words: string) => `${words[0]?.toUpperCase()}${words.slice(1)}`;

/** The steps of a pace as bars, up to the height of a replay without a limit. */
function drawSteps({ ramp = [], ratePerSecond: rate }: Rollout): Html {
  const all = 1000;
  const steps = rate === undefined ? [...ramp, all] : [rate];
  const bars = steps.map((step, i) => {
    const width = i === steps.length - 1 ? 64 - i * 10 : 8;
    return { x: i * 10, width, height: 2 + (14 * Math.log10(step)) / Math.log10(all) };
  });
  return picture('pace', { size: [64, 16] }, bars);
}
