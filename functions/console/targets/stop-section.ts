import type { Database } from '../../../shared/database/database.ts';
import { findStop } from '../../../shared/targets/change-hold.ts';
import { inEnvironment, postForm, reasonField, untilField } from '../components/form.ts';
import { ago } from '../components/format.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import type { PageContext } from '../page.ts';

/** Says that everything is stopped, by whom, since when and why, with the way back. */
export async function stopNotice(db: Database, { caller, now }: PageContext): Promise<Html | false> {
  const [stop] = await findStop(db, {});
  if (!stop) return false;
  const back = caller.isOperator && html` <a href="activity/${stop.id}/undo">Start again…</a>`;
  return html`<p class="warning" role="status"><b>All deliveries are stopped</b> by ${stop.actor}, ${ago(stop.at, now)}: ${stop.reason}.${back}</p>`;
}

/** The form that stops everything. */
export function stopSection(context: PageContext): Html | false {
  if (!context.caller.isOperator) return false;
  return section(
    'Stop everything',
    postForm(context, {
      action: 'targets',
      className: 'side-form',
      content: html`${reasonField()}${untilField('Until', 'Empty: until it is undone.')}
        <div class="actions"><button class="danger">${inEnvironment('Stop all deliveries', context)}</button></div>
        <p class="hint">Holds every target and pauses every replay. Deliveries in flight end; captures go on.</p>`,
    }),
  );
}
