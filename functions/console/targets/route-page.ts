import { check } from '../../../shared/config/validate.ts';
import { RoutesSchema } from '../../../shared/delivery/routes.ts';
import { checkbox, textField } from '../components/form.ts';
import { columns, copyable, pageHead, section } from '../components/section.ts';
import { listProblems } from '../error-page.ts';
import { searchLink } from '../events/search.ts';
import { type Html, html } from '../html.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';
import { filterOfRoute } from './routes.ts';

/**
 * `GET /targets/route?eventType=&consumerGroup=&url=`: writes the configuration of a route. A route comes from
 * configuration only, so that the page changes nothing.
 */
export function routePage(_deps: ConsoleDeps, { query }: PageContext): Page {
  const [eventType, consumerGroup, url] = ['eventType', 'consumerGroup', 'url'].map(
    (name) => query.get(name)?.trim() ?? '',
  );
  const isOrdered = query.get('ordered') === 'on';
  const urlHint = 'The address of the consumer. docs/policies.md has Pub/Sub topics and Kafka.';
  const form = html`<form action="targets/route" class="side-form">
      ${textField({ name: 'eventType', label: 'Event type', value: eventType, hint: 'A * stands for any characters: order.*' })}
      ${textField({ name: 'consumerGroup', label: 'Consumer', value: consumerGroup, hint: 'Empty: any.' })}
      ${textField({ name: 'url', label: 'Send to', value: url, isRequired: true, placeholder: 'https://billing.example/orders', hint: urlHint })}
      ${checkbox('ordered', 'One at a time for each key, in order', isOrdered)}
      <div class="actions"><button class="primary">Write the route</button><a class="button" href="targets">Cancel</a></div>
    </form>`;
  const match = { ...(eventType && { eventType }), ...(consumerGroup && { consumerGroup }) };
  const route = { match, target: { kind: 'http', url }, ...(isOrdered && { ordered: true }) };
  const head = pageHead('A route for these events', [['Targets', 'targets'], ['route']]);
  const main = html`${head}${url === '' ? form : columns(writtenRoute(route), form)}`;
  return { title: 'Make a route', tab: 'targets', main };
}

function writtenRoute(route: object): Html {
  const checked = check(RoutesSchema, [route], 'routes');
  const [first] = checked.ok ? checked.value : [];
  if (!checked.ok || !first) return listProblems(checked.ok ? [] : checked.problems);
  const text = `${filterOfRoute(first)} status:open`.trim();
  const code = html`${copyable('route', JSON.stringify(route, null, 2), 'Copy route')}
    <ol class="first-steps"><li>Add it to <code>routes</code> of the stack, or to <code>ROUTES</code>, before any wider route, and deploy.</li>
    <li>The next tick then sends <a href="${searchLink(text)}">the open events that it matches</a>.</li></ol>`;
  return section('The route', code);
}
