import { formatNumber } from '../../../shared/count-of.ts';
import { periodUpTo } from '../../../shared/counts/periods.ts';
import { sumUp } from '../../../shared/counts/sum-steps.ts';
import { type AuditEntry, listAudit } from '../../../shared/events/audit.ts';
import { maxBigint } from '../../../shared/events/event-id.ts';
import { formatUtc } from '../components/format.ts';
import { linkSwitch } from '../components/links.ts';
import { copyable, pageHead } from '../components/section.ts';
import { type Content, html } from '../html.ts';
import { listProblems } from '../overview/problems.ts';
import { readProgress } from '../overview/read-progress.ts';
import { readTopGroups, type TopGroup } from '../overview/top-errors.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { describeObject, nameAction } from './action-words.ts';

const shifts = { '8': '8 hours', '12': '12 hours', '24': '24 hours' } as const;
const maxActions = 200;

/** `GET /activity/report?hours=`: what failed, what was done, and what is left, as Markdown to paste. */
export async function reportPage(deps: ConsoleDeps, context: PageContext): Promise<Page> {
  const { now, query, environment } = context;
  const asked = query.get('hours') ?? '';
  const hours = Object.hasOwn(shifts, asked) ? Number(asked) : 8;
  const since = new Date(now.getTime() - hours * 3_600_000);
  const day = periodUpTo(now, '24h');
  const period = { ...day, since: new Date(day.until.getTime() - hours * 3_600_000), steps: hours };
  const [groups, actions, left] = await Promise.all([
    readTopGroups(deps.db, period, now),
    listAudit(deps, { since: since.toISOString() }, { before: maxBigint, max: maxActions }),
    listLeft(deps, now),
  ]);
  const text = [
    `# Dead letters${environment && ` of ${environment}`}: ${formatUtc(since)} to ${formatUtc(now)}`,
    '## What failed',
    listOr(groups.map(describeError), 'Nothing failed.'),
    '## What was done',
    listOr(actions.toReversed().map(describeAction), 'Nothing was done.'),
    '## What is left',
    listOr(left, 'Nothing needs a person.'),
  ].join('\n\n');
  const periods = linkSwitch<string>('Period', Object.entries(shifts), {
    current: String(hours),
    href: (name) => `activity/report?hours=${name}`,
  });
  const main = html`${pageHead('Report of a shift', [['Activity', 'activity'], ['report']], periods)}${copyable('report', text, 'Copy as Markdown')}`;
  return { title: 'Report of a shift', tab: 'activity', main };
}

function listOr(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : lines.map((line) => `- ${line}`).join('\n');
}

function describeError({ title, steps, open, failedPermanently, owner }: TopGroup): string {
  const state = `${formatNumber(open)} open, ${formatNumber(failedPermanently)} failed permanently`;
  return `${formatNumber(sumUp(steps, 'failures'))} × ${toLine(title ?? 'a new error')} (now ${state}${owner === null ? '' : `; ${owner}`})`;
}

function describeAction(entry: AuditEntry): string {
  const what = toLine(plainText([nameAction(entry), ' ', describeObject(entry)]));
  return `${formatUtc(entry.at)} ${entry.actor} ${what}${entry.reason === null ? '' : `: ${toLine(entry.reason)}`}`;
}

async function listLeft(deps: ConsoleDeps, now: Date): Promise<string[]> {
  const progress = await readProgress(deps, now);
  const problems = listProblems(progress, deps.failingHours);
  const { open } = progress.depths;
  const rest = open > 0 ? [`${formatNumber(open)} events are open.`] : [];
  return [...problems.map(({ says }) => toLine(plainText(says))), ...rest];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The words of markup. */
function plainText(content: Content): string {
  const text = String(html`${content}`).replaceAll(/<[^>]*>/g, '');
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}

/** Text in one line, up to 300 characters. */
function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
