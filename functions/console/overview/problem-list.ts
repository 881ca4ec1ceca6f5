import { atLeast, countOf } from '../../../shared/count-of.ts';
import { mark } from '../components/marks.ts';
import { collapsible } from '../components/section.ts';
import { type Content, type Html, html } from '../html.ts';

/** What needs a person, with one action. */
export type Problem = {
  /** The kind, by which the words of several are added up. */
  readonly kind: keyof typeof summaries;
  /** The unit of the count: events, or for targets and runs these. */
  readonly count: number;
  readonly isExact?: boolean;
  readonly says: Content;
  readonly action: readonly [words: string, href: string];
};

const summaries = {
  late: ['schedule is late', 'schedules are late'],
  unscheduled: ['schedule paused', 'schedules paused'],
  down: ['target down', 'targets down'],
  held: ['target held', 'targets held'],
  blocked: ['event blocked by a key', 'events blocked by a key'],
  undecided: ['needs a decision', 'need a decision'],
  replayed: ['failed permanently, in an open replay', 'failed permanently, in an open replay'],
  failing: ['fails by itself', 'fail by themselves'],
  review: ['needs review', 'need review'],
  'no-route': ['without a route', 'without a route'],
  many: ['kind of events waits', 'kinds of events wait'],
  paused: ['target asked for a pause', 'targets asked for a pause'],
  halted: ['replay paused', 'replays paused'],
} as const;

/** A sentence of all problems, and a line with one action for each. */
export function problemSection(problems: readonly Problem[], open: number): Html {
  const kinds = [...Map.groupBy(problems, ({ kind }) => kind)].map(([kind, own]) => {
    const count = own.reduce((sum, each) => sum + each.count, 0);
    const isExact = own.every((each) => each.isExact !== false);
    const [one, several] = summaries[kind];
    return atLeast(countOf(count, one, several), isExact);
  });
  const rest =
    open > 0 ? `${countOf(open, 'event is', 'events are')} open, to be sent again.` : 'No event is open.';
  const nothing = mark('finished', 'Nothing needs you.');
  const details = problemLines(problems) || html`<p class="muted">${rest}</p>`;
  return html`<section aria-labelledby="now"><h2 id="now" class="headline">${problems.length > 0 ? kinds.join(' · ') : nothing}</h2>${details}</section>`;
}

/**
 * A line with one action for each problem, unless it leads to this page. Of each kind, such as the targets of
 * an outage, most are folded.
 */
export function problemLines(problems: readonly Problem[], path = ''): Html | false {
  if (problems.length === 0) return false;
  const kinds = [...Map.groupBy(problems, ({ kind }) => kind).values()];
  const folded = kinds.flatMap((own) => own.slice(maxLines));
  const words = `${countOf(folded.length, 'more problem')} of these kinds`;
  const line = ({ says, action: [words, href] }: Problem) =>
    html`<li><span class="wrap">${says}</span>${path !== `/${href}` && html`<a class="button" href="${href}">${words}</a>`}</li>`;
  const list = (some: readonly Problem[]) => html`<ul class="list">${some.map(line)}</ul>`;
  return html`<div class="problem-list">${list(kinds.flatMap((own) => own.slice(0, maxLines)))}${folded.length > 0 && collapsible(words, list(folded))}</div>`;
}

const maxLines = 5;
