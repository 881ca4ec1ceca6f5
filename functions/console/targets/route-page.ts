import { check } from '../../../shared/config/validate.ts';
import { countOf } from '../../../shared/count-of.ts';
import { type Route, RoutesSchema } from '../../../shared/delivery/routes.ts';
import { printFilterText } from '../../../shared/events/filter/print-filter-text.ts';
import { checkbox, textField } from '../components/form.ts';
import { searchLink } from '../components/links.ts';
import { columns, copyable, pageHead, section } from '../components/section.ts';
import { type Html, html } from '../html.ts';
import { listProblems } from '../layout.ts';
import type { ConsoleDeps, Page, PageContext } from '../page.ts';

/** `GET /targets/route`: writes the configuration of a route, from which alone routes come. */
export function routePage(_deps: ConsoleDeps, { query }: PageContext): Page {
  const read = (name: string) => query.get(name)?.trim() ?? '';
  const [eventType, consumerGroup, url] = ['eventType', 'consumerGroup', 'url'].map(read);
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
  return { title: 'Make a route', main };
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

/** A route in a line: the events it matches, and how it retries. */
export function describeRoute(route: Route, index: number): Html {
  const { target, ordered, policy } = route;
  const max = policy.maxRetries === undefined ? '' : `, up to ${countOf(policy.maxRetries, 'time')}`;
  return html`route ${index + 1}, ${target.kind}${ordered && ', ordered by key'}: ${filterOfRoute(route) || 'all other events'}, ${policy.backoff.kind} backoff${max}`;
}

/** The events a route matches, in the text form of the filter; empty if it matches all. */
export function filterOfRoute({ match }: Route): string {
  const filter = Object.entries(match).map(([field, glob]) => [field, [glob]]);
  return printFilterText(Object.fromEntries(filter));
}
