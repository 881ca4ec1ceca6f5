import type { Route } from '../../../shared/delivery/routes.ts';
import { section } from '../components/section.ts';
import { type Html, html } from '../html.ts';

/** Shown until the first event is captured; the overview replaces it by itself. */
export function firstSteps(routes: readonly Route[]): Html {
  const routed =
    routes.length > 0
      ? html`${routes.length} in use: see <a href="targets">Targets</a>.`
      : html`Set <code>ROUTES</code>: without a route, events wait, and an operator replays them to a target.`;
  return section(
    'First steps',
    html`<ol class="first-steps">
      <li><b>Report a failure</b>, from a consumer or by hand. On Google Cloud, <code>CAPTURE_URL</code> is the
        URL of capture in the output <code>urls</code>, and the request needs an identity token (docs/send.md).
        <pre class="code" id="first-report">${report}</pre>
        <button type="button" data-copy="first-report" hidden>Copy</button></li>
      <li><b>Connect what fails already</b>: dead-letter topics of Pub/Sub and Kafka, RabbitMQ, job queues (docs/send.md,
        docs/bring-over.md).</li>
      <li><b>Say where retries go.</b> ${routed} docs/policies.md has every field.</li>
    </ol>
    <p class="muted" role="status">Waiting for the first event …</p>`,
  );
}

const report = `CAPTURE_URL=\${CAPTURE_URL:-http://localhost:8080/capture}
curl "$CAPTURE_URL" -H 'content-type: application/json' -d '{
  "eventType": "order.created", "eventId": "first-failure",
  "payload": {"orderId": 4711},
  "error": {"class": "PaymentDown", "message": "503 from payments"}
}'`;
