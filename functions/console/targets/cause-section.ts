import { countOf } from '../../../shared/count-of.ts';
import type { FailingCause } from '../../../shared/schedule/causes.ts';
import { ago } from '../components/format.ts';
import { mark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** What fails by itself at a target that takes other events, with what waits for it and what helps. */
export function causeSection(causes: readonly FailingCause[], failingHours?: number): Html | false {
  if (causes.length === 0) return false;
  const list = html`<ul class="list">${causes.map((cause) => causeLine(cause, failingHours))}</ul>
    <p class="hint">The target takes other events. Each new one is tried once; of what failed, ticks send single
    samples, and all of it goes when one passes. Mend the consumer, edit one, replay now, or discard.</p>`;
  return section('Fails by itself', list);
}

/** Whether a cause has failed by itself for so many hours that an operator has to decide. */
export function needsReview({ since }: FailingCause, failingHours = Infinity): boolean {
  return Date.now() - since.getTime() > failingHours * 3_600_000;
}

function causeLine(cause: FailingCause, failingHours: number | undefined): Html {
  const { answer, waiting, since, sampledAt, nextSampleAt } = cause;
  const next = nextSampleAt !== null && nextSampleAt > new Date() ? ago(nextSampleAt) : 'with the next tick';
  return html`<li><span class="title plain-title wrap">${answer ?? 'No answer is known'}</span>
    ${needsReview(cause, failingHours) && mark('failed', 'bad', 'needs review')}
    <span class="muted small more wrap">${countOf(waiting, 'event waits', 'events wait')} · began ${ago(since)} · last sample ${ago(sampledAt)} · next one ${next}</span></li>`;
}
