import { countOf } from '../../../shared/count-of.ts';
import type { FailingCause } from '../../../shared/schedule/causes.ts';
import { ago } from '../components/format.ts';
import { mark } from '../components/marks.ts';
import { section } from '../components/section.ts';
import { shortenTarget, targetLink } from '../components/target-state.ts';
import { type Html, html } from '../html.ts';

/** A cause that has failed for longer is one that a person has to look at. */
const reviewMs = 24 * 3_600_000;
const maxShown = 5;

type Failing = { readonly target: string | null; readonly causes: readonly FailingCause[] };

/** What fails by itself at a target that takes other events, with what waits for it and what helps. */
export function causeSection(causes: readonly FailingCause[], now: Date): Html | false {
  if (causes.length === 0) return false;
  const list = html`<ul class="list">${causes.map((cause) => causeLine(cause, now))}</ul>
    <p class="hint">The target takes other events. Each new one is tried once; of what failed, ticks send single
    samples, and all of it goes when one passes. Mend the consumer, edit one, replay now, or discard.</p>`;
  return section('Fails by itself', list);
}

function causeLine({ answer, waiting, since, sampledAt, nextSampleAt }: FailingCause, now: Date): Html {
  const next = nextSampleAt !== null && nextSampleAt > now ? ago(nextSampleAt, now) : 'with the next tick';
  return html`<li><span class="title plain-title wrap">${answer ?? 'No answer is known'}</span>
    ${isOld(since, now) && mark('failed', 'bad', 'needs review')}
    <span class="muted small more wrap">${countOf(waiting, 'event waits', 'events wait')} · since ${ago(since, now)} · last sample ${ago(sampledAt, now)} · next one ${next}</span></li>`;
}

/** What has failed by itself for a day at any target, as one line each, for the overview. */
export function reviewSection(targets: readonly Failing[], now: Date): Html | false {
  const old = targets.flatMap(({ target, causes }) =>
    causes.filter(({ since }) => isOld(since, now)).map((cause) => ({ target, ...cause })),
  );
  if (old.length === 0) return false;
  const lines = old
    .toSorted((a, b) => b.waiting - a.waiting)
    .slice(0, maxShown)
    .map(({ target, answer, waiting, since }) => {
      const name = target === null ? '' : html`<a href="${targetLink(target)}">${shortenTarget(target)}</a>`;
      return html`<li><span class="wrap">${name} answers ${answer ?? 'nothing'}</span>
        <span>${countOf(waiting, 'event waits', 'events wait')}, since ${ago(since, now)}</span></li>`;
    });
  return section('Needs review: fails by itself', html`<ul class="list">${lines}</ul>`);
}

function isOld(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() > reviewMs;
}
