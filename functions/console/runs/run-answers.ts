import { formatNumber } from '../../../shared/count-of.ts';
import type { Answers } from '../../../shared/replay/run-counts.ts';
import { mark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { table } from '../components/table.ts';
import { type Html, html } from '../html.ts';
import type { ShownRun } from './run-facts.ts';

/** The answers of targets in groups, failures first. */
export function answersSection({ answers, progress }: ShownRun): Html | false {
  if (answers.length === 0) return false;
  const sum = answers.reduce((total, { events }) => total + events, 0);
  const note =
    sum < progress.delivered + progress.failed &&
    html`<span class="muted small">of the last ${formatNumber(sum)} deliveries</span>`;
  return section('Answers', list(answers), note);
}

function list(answers: Answers): Html {
  return table('answers', answers, [
    [
      'Outcome',
      'state',
      ({ outcome, reason }) =>
        outcome === 'failed'
          ? mark('failed', 'bad', reason ?? outcome)
          : mark('succeeded', 'good', 'delivered'),
    ],
    [
      'Answer',
      'wrap',
      ({ responseStatus, error, example }) =>
        html`<b>${responseStatus ?? 'no status'}</b> ${error && html`<span class="muted small">${error}</span>`} <a class="small" href="events/${example}">such as event ${example}</a>`,
    ],
    ['Events', 'num', ({ events }) => formatNumber(events)],
  ]);
}
